import { describe, expect, it } from "vitest";
import { bundle, compileText, faultsOf, routeOf } from "../../support/sources/bundles.ts";

describe("a bundle that says as little as possible", () => {
  it("gets every default", async () => {
    const { hash, ...route } = await routeOf(bundle());
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(route).toEqual({
      name: "acme.task",
      candidates: [
        { key: "sim/atlas-large", provider: "sim", model: "atlas-large", params: { max_tokens: 300 }, trial: false },
        { key: "sim/atlas-small", provider: "sim", model: "atlas-small", params: {}, trial: false },
      ],
      require: [],
      retry: { content_invalid: 1, network: 2, capacity_shed: 1, server_error: 1 },
      timeouts: { idleMs: 20_000, attemptMs: 60_000, callMs: 90_000, streamMs: 1_800_000 },
      budget: {},
      allowUnpriced: false,
      stream: "live",
      onContentFilter: "stop",
      capture: false,
      variants: [],
      valueChecks: [],
    });
  });
});

describe("a bundle that says everything", () => {
  const text = bundle(`description: all keys
input: { type: object, properties: { q: { type: string } }, required: [q] }
template: { system: be brief, cached_context: the manual, user: "{{ q }}" }
output: { schema: { type: object, properties: { a: { type: string } }, required: [a] }, ladder: [native_strict, coached] }
require: [schema_conformant]
retry: { network: 0 }
timeouts: { first_token_ms: 5000, idle_ms: 1000, call_ms: 70000, stream_ms: 9000 }
timeout_ms: 4000
budget: { usd_per_call: 0.05, usd_per_run: 0.5, usd_per_day: 20, usd_per_month: 300 }
allow_unpriced: true
stream: validated
on_content_filter: next
service_tier: flex
capture: true
variants:
  - name: cheap
    candidates: [{ provider: sim, model: atlas-small, params: { temperature: 0.1 } }]
    output: { ladder: [coached] }
    params: { stop: END }
    reasoning: { effort: low, budget_tokens: 256 }
objective: { mode: balanced, max_regret: 0.02, price_ceiling: { usd_per_1k: 4 }, lambda: 0.7 }
value_checks:
  - { path: /a, expect: { regex: "^x" } }
  - { path: "", expect: { equals: null }, gate: false }
bakeoff: { reference: sim/atlas-large, reference_envelope_usd: 2, judge: { model: sim/atlas-large, max_samples: 9 }, regret_monitor: { enabled: true }, quality_gate: { min_score: 0.8 } }
`);

  it("compiles to plain JSON with units converted", async () => {
    const route = await routeOf(text);
    expect(JSON.parse(JSON.stringify(route))).toEqual(route);
    expect(route.budget).toEqual({ perCall: 50_000_000, perRun: 500_000_000, perDay: 20e9, perMonth: 300e9 });
    expect(route.timeouts).toEqual({
      firstTokenMs: 5_000,
      idleMs: 1_000,
      attemptMs: 4_000,
      callMs: 70_000,
      streamMs: 9_000,
    });
    expect(route.retry.network).toBe(0);
    expect(route.objective).toEqual({ mode: "balanced", maxRegret: 0.02, priceCeiling: { per1k: 4e9 }, lambda: 0.7 });
    expect(route.bakeoff).toEqual({
      reference: "sim/atlas-large",
      referenceEnvelope: 2e9,
      judge: { model: "sim/atlas-large", maxSamples: 9 },
      regretMonitor: { enabled: true, sampleN: 200 },
      upgradeWatch: true,
      qualityGate: { minScore: 0.8 },
    });
    expect(route.valueChecks).toEqual([
      { path: "/a", expect: { regex: "^x" }, gate: true },
      { path: "", expect: { equals: null }, gate: false },
    ]);
    expect(route.variants).toEqual([
      {
        name: "cheap",
        candidates: [
          { key: "sim/atlas-small", provider: "sim", model: "atlas-small", params: { temperature: 0.1 }, trial: false },
        ],
        ladder: ["coached"],
        params: { stop: ["END"] },
        reasoning: { effort: "low", budgetTokens: 256 },
      },
    ]);
  });

  it("has a hash that follows its meaning, not its spelling", async () => {
    const spaced = text.replace("description: all keys", 'description:   "all keys"   # a comment');
    expect((await routeOf(spaced)).hash).toBe((await routeOf(text)).hash);
    expect((await routeOf(text.replace("all keys", "other"))).hash).not.toBe((await routeOf(text)).hash);
  });
});

/** One fault of each kind: what is written, and where the fault must point. */
const KINDS: readonly (readonly [kind: string, text: string, fault: string])[] = [
  ["an unknown key at the top", bundle("candidate: 1\n"), "5:1 route.unknown_key"],
  ["an unknown key inside a list", bundle("variants:\n  - name: a\n    modell: x\n"), "7:5 route.unknown_key"],
  ["a missing key", "candidates:\n  - { provider: sim, model: atlas-large }\n", "1:1 route.missing_key"],
  [
    "a missing key in a list",
    "route: acme.task\ncandidates:\n  - provider: sim\n  - {provider: sim, model: slow}\n",
    "3:5 route.missing_key",
  ],
  ["a value of the wrong type", bundle("capture: maybe\n"), "5:10 route.wrong_type"],
  ["a list where a map belongs", bundle("budget: [1]\n"), "5:9 route.wrong_type"],
  ["a map where a list belongs", bundle("variants: { name: a }\n"), "5:11 route.wrong_type"],
  ["a word that is no choice", bundle("stream: valid\n"), "5:9 route.invalid_value"],
  ["a number out of range", bundle("budget: { usd_per_call: -1 }\n"), "5:25 route.invalid_value"],
  [
    "a model id that could break a header",
    "route: acme.task\ncandidates: [{ provider: sim, model: 'a b' }]\n",
    "2:38 route.invalid_value",
  ],
  [
    "a provider name with a slash",
    "route: acme.task\ncandidates: [{ provider: a/b, model: c }]\n",
    "2:26 route.invalid_value",
  ],
  ["another name than the file's", bundle().replace("acme.task", "acme.other"), "1:8 route.name_is_not_file_name"],
  ["the reserved route name", bundle().replace("acme.task", "auto"), "1:8 route.invalid_value"],
  [
    "an unknown provider",
    "route: acme.task\ncandidates: [{ provider: opnai, model: gpt-5 }]\n",
    "2:26 route.unknown_provider",
  ],
  [
    "a provider without address",
    "route: acme.task\ncandidates: [{ provider: azure, model: gpt-5 }]\n",
    "2:26 route.provider_without_address",
  ],
  [
    "a candidate declared twice",
    bundle("  - { provider: sim, model: atlas-large }\n"),
    "5:5 route.duplicate_candidate",
  ],
  ["no candidates", "route: acme.task\ncandidates: []\n", "2:13 route.no_candidates"],
  [
    "only trial candidates",
    "route: acme.task\ncandidates: [{ provider: sim, model: slow, trial: true }]\n",
    "2:13 route.only_trial",
  ],
  [
    "a variant that widens",
    bundle("variants: [{ name: v, candidates: [{ provider: sim, model: slow }] }]\n"),
    "5:36 route.variant_widens",
  ],
  ["the reserved variant name", bundle("variants: [{ name: default }]\n"), "5:20 route.invalid_value"],
  ["a variant declared twice", bundle("variants: [{ name: a }, { name: a }]\n"), "5:33 route.duplicate_variant"],
  [
    "a variant's ladder without an output",
    bundle("variants: [{ name: a, output: { ladder: [coached] } }]\n"),
    "5:23 route.ladder_without_output",
  ],
  ["both spellings of the timeout", bundle("timeouts: { attempt_ms: 5 }\ntimeout_ms: 6\n"), "6:1 route.timeout_twice"],
  [
    "a template that does not parse",
    bundle("template:\n  user: |\n    one\n    two {{ caps.vision\n"),
    "8:9 route.template_syntax",
  ],
  [
    "a template with an unknown tag",
    bundle("template:\n  user: |\n    a {% include 'secrets' %}\n"),
    "7:7 route.template_syntax",
  ],
  [
    "an undeclared variable",
    bundle(
      "input: { type: object, properties: { ticket: {} } }\ntemplate:\n  user: |\n    Hi {{ ticket }}\n      {{ tiket }}\n",
    ),
    "9:10 route.undeclared_variable",
  ],
  [
    "an undeclared variable in a quoted text",
    bundle("input: { type: object, properties: { ticket: {} } }\ntemplate: { user: '{{ tiket }}{{ ticket }}' }\n"),
    "6:19 route.undeclared_variable",
  ],
  [
    "a variable below a closed object",
    bundle(
      "input: { properties: { a: { properties: { b: {} }, additionalProperties: false } } }\ntemplate: { user: '{{ a.c }}' }\n",
    ),
    "6:19 route.undeclared_variable",
  ],
  ["a variable without any input", bundle("template: { user: '{{ a }}' }\n"), "5:19 route.undeclared_variable"],
  [
    "a capability flag that is none",
    bundle("template: { user: '{% if caps.vison %}x{% endif %}' }\n"),
    "5:19 route.undeclared_variable",
  ],
  [
    "a variable named like the flags",
    bundle("input: { properties: { caps: {} } }\ntemplate: { user: x }\n"),
    "5:24 route.reserved_variable",
  ],
  ["input without a template", bundle("input: { type: object }\n"), "5:1 route.input_without_template"],
  ["both schema and schema_file", bundle("output: { schema: {}, schema_file: a.json }\n"), "5:9 route.invalid_value"],
  [
    "a schema file outside the folder",
    bundle("output: { schema_file: ../secrets.json }\n"),
    "5:24 route.schema_file_outside",
  ],
  [
    "a schema file by absolute path",
    bundle("output: { schema_file: /etc/passwd }\n"),
    "5:24 route.schema_file_outside",
  ],
  ["a schema file that is missing", bundle("output: { schema_file: a.json }\n"), "5:24 route.schema_file_missing"],
  [
    "a schema that is none",
    bundle("output:\n  schema:\n    type: object\n    properties: { a: { type: strin } }\n"),
    "8:24 route.schema_invalid",
  ],
  [
    "a schema keyword nothing enforces",
    bundle("output:\n  schema:\n    type: object\n    anyOf: [{ type: object, $vocabulary: {} }]\n"),
    "8:29 route.schema_unsupported",
  ],
  [
    "an input schema that is none",
    bundle("input: { required: q }\ntemplate: { user: x }\n"),
    "5:10 route.schema_invalid",
  ],
  [
    "a ladder of repairs only",
    bundle("output: { schema: { type: object }, ladder: [syntax_repair] }\n"),
    "5:45 route.invalid_value",
  ],
  ["a predicate nobody meets", bundle("require: [zdr]\n"), "5:11 route.unsatisfiable"],
  [
    "a judge that is not declared",
    bundle("bakeoff: { judge: { model: sim/slow, max_samples: 3 } }\n"),
    "5:28 route.judge_not_declared",
  ],
  [
    "a reference that is not declared",
    bundle("bakeoff: { reference: sim/slow }\n"),
    "5:23 route.reference_not_declared",
  ],
  [
    "a monitor without a reference",
    bundle("bakeoff: { regret_monitor: { enabled: true } }\n"),
    "5:12 route.monitor_without_reference",
  ],
  [
    "value checks without an output",
    bundle("value_checks: [{ path: /a, expect: { exists: true } }]\n"),
    "5:1 route.checks_without_output",
  ],
  [
    "a check that expects two things",
    bundle("output: { schema: { type: object } }\nvalue_checks: [{ path: /a, expect: { exists: true, equals: 1 } }]\n"),
    "6:36 route.invalid_value",
  ],
  [
    "a check with a broken expression",
    bundle("output: { schema: { type: object } }\nvalue_checks: [{ path: /a, expect: { regex: '[' } }]\n"),
    "6:45 route.invalid_value",
  ],
  ...(
    [
      ["a number with a range and a value", "{ number: { min: 1, value: 2 } }", "6:46 route.invalid_value"],
      ["a tolerance of nothing", "{ number: { tolerance: 2 } }", "6:46 route.invalid_value"],
      ["a range that is empty", "{ number: { min: 2, max: 1 } }", "6:46 route.invalid_value"],
      ["two tolerances", "{ number: { value: 1, tolerance: 1, relative: 1 } }", "6:46 route.invalid_value"],
      ["a number of nothing", "{ number: {} }", "6:46 route.invalid_value"],
      ["a length below nothing", "{ length: { min: -1 } }", "6:53 route.invalid_value"],
      ["a key that a number check has not", "{ number: { valeu: 1 } }", "6:48 route.unknown_key"],
      ["a schema that is none", "{ schema: { required: q } }", "6:48 route.schema_invalid"],
    ] as const
  ).map(
    ([kind, expected, fault]) =>
      [
        `a check with ${kind}`,
        bundle(`output: { schema: { type: object } }\nvalue_checks: [{ path: /a, expect: ${expected} }]\n`),
        fault,
      ] as const,
  ),
  ["a duplicate key", "route: acme.task\nroute: acme.task\n", "2:1 route.duplicate_key"],
  ["broken YAML", "route: [a\n", "2:1 route.yaml_syntax"],
  ["a tab as indentation", "route: acme.task\ncandidates:\n\t- a\n", "3:1 route.yaml_syntax"],
  ["two documents", "route: a\n---\nroute: b\n", "2:1 route.yaml_syntax"],
  ["an unknown tag", "route: !!js/function 'x'\n", "1:8 route.yaml_syntax"],
  ["a number JSON cannot carry", bundle("output: { schema: { maximum: .inf } }\n"), "5:30 route.not_json"],
  ["an empty file", "", "1:1 route.not_a_map"],
  ["a list instead of a bundle", "- a\n", "1:1 route.not_a_map"],
];

describe("a fault is located", () => {
  it.each(KINDS)("%s", async (_kind, text, fault) => {
    const result = await compileText(text);
    expect(result.ok).toBe(false);
    expect(await faultsOf(text)).toContain(fault);
  });
});

describe("faults together", () => {
  const text = `rout: x
route: acme.task
candidates:
  - { provider: sim, modl: a, model: atlas-large }
  - { provider: opena, model: gpt-5 }
template: { user: "{{ tiket }}" }
capture: perhaps
budget: { usd_per_day: 1 }
`;

  it("are all told at once, the first broken shape last", async () => {
    expect(await faultsOf(text)).toEqual([
      "6:19 route.undeclared_variable",
      "5:17 route.unknown_provider",
      "7:10 route.wrong_type",
      "4:22 route.unknown_key",
      "1:1 route.unknown_key",
    ]);
  });

  it("carry the key path and the nearest valid key", async () => {
    const result = await compileText(text);
    const fault = result.ok ? undefined : result.error.find(({ path }) => path === "candidates[0].modl");
    expect(fault).toMatchObject({ suggestion: "model", message: "unknown key modl; did you mean model?", length: 4 });
  });
});

describe("schema_file", () => {
  const text = bundle("output: { schema_file: ./schemas/../schemas/a.json }\n");

  it("is read from the routes folder", async () => {
    const route = await routeOf(text, { files: { "schemas/a.json": '{ "type": "object" }' } });
    expect(route.output?.schema).toEqual({ type: "object" });
  });

  it("has its own faults located in the file", async () => {
    const result = await compileText(text, { files: { "schemas/a.json": '{ "type": \n nonsense' } });
    expect(result.ok ? [] : result.error).toMatchObject([{ file: "schemas/a.json", line: 2 }]);
  });
});

describe("a pattern that cannot be matched in bounded time", () => {
  it("is refused at its place in the schema", async () => {
    const text = bundle(
      'output:\n  schema: { type: object, properties: { a: { type: string, pattern: "^(a+)\\\\1$" } } }\n',
    );
    expect(await faultsOf(text)).toEqual(["6:60 route.schema_invalid"]);
  });
});

describe("money and prices", () => {
  it("warns of a candidate that can never fit usd_per_call", async () => {
    const text = bundle("budget: { usd_per_call: 0.001 }\n");
    expect(await faultsOf(text)).toEqual(["4:5 route.never_fits_budget", "3:5 route.never_fits_budget"]);
  });

  const unpriced =
    "route: acme.task\ncandidates: [{ provider: ollama, model: mine, params: { max_tokens: 9 } }]\nbudget: { usd_per_day: 1 }\n";

  it("warns of an unpriced candidate under a budget, unless that is allowed", async () => {
    expect(await faultsOf(unpriced)).toEqual(["2:14 route.unpriced_candidate"]);
    expect(await faultsOf(`${unpriced}allow_unpriced: true\n`)).toEqual([]);
  });

  it("takes a declared price for a price", async () => {
    const config =
      "providers: { ollama: { models: { mine: { price: { input_per_million: 0, output_per_million: 0 } } } } }\n";
    expect(await faultsOf(unpriced, { config })).toEqual([]);
  });

  it("warns where neither the route nor the model bounds the output", async () => {
    const config =
      "providers: { ollama: { models: { mine: { price: { input_per_million: 1, output_per_million: 1 } } } } }\n";
    const text = unpriced.replace(", params: { max_tokens: 9 }", "");
    expect(await faultsOf(text, { config })).toEqual(["2:14 route.unbounded_output"]);
  });
});

describe("predicates", () => {
  it("are met by a declared capability", async () => {
    const config = "providers: { sim: { models: { atlas-small: { capabilities: { zdr: true } } } } }\n";
    expect(await faultsOf(bundle("require: [zdr]\n"), { config })).toEqual([]);
  });

  it("are not met by a trial candidate, which never serves", async () => {
    const config = "providers: { sim: { models: { slow: { capabilities: { zdr: true } } } } }\n";
    const text = bundle("  - { provider: sim, model: slow, trial: true }\nrequire: [zdr]\n");
    expect(await faultsOf(text, { config })).toEqual(["6:11 route.unsatisfiable"]);
  });
});

describe("aliases", () => {
  it("are followed, and faults inside point at the anchor's text", async () => {
    const text = bundle("variants:\n  - { name: a, params: &p { temperatur: 0 } }\n  - { name: b, params: *p }\n");
    expect(await faultsOf(text)).toEqual(["6:29 route.unknown_key", "6:29 route.unknown_key"]);
  });

  it("cannot blow up: a billion laughs is one fault", async () => {
    const lines = ["a: &a0 [x, x, x, x, x, x, x, x, x]"];
    for (let level = 1; level < 12; level += 1) {
      lines.push(
        `a${level}: &a${level} [${Array(9)
          .fill(`*a${level - 1}`)
          .join(", ")}]`,
      );
    }
    expect(await faultsOf(`${lines.join("\n")}\n`)).toEqual(["1:1 route.yaml_syntax"]);
  });
});
