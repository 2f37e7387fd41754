import { describe, expect, it } from "vitest";
import { resolveModelWord } from "../../../src/route/model-word.ts";
import { narrow } from "../../../src/route/narrow.ts";
import { bundle, routeOf } from "../../support/sources/bundles.ts";

const text = bundle(`  - { provider: sim, model: slow, trial: true }
template: { user: long }
output: { schema: { type: object } }
variants:
  - name: cheap
    candidates:
      - { provider: sim, model: atlas-small, params: { temperature: 0.5, reasoning: { summary: auto } } }
      - { provider: sim, model: slow }
    template: { user: short }
    output: { ladder: [coached] }
    params: { max_tokens: 10 }
    reasoning: { effort: low }
  - name: params-only
    params: { temperature: 1 }
`);

describe("narrow", () => {
  it("answers the route as declared without a variant and for `default`", async () => {
    const route = await routeOf(text);
    for (const variant of [undefined, "default"]) {
      const narrowed = narrow(route, variant);
      expect(narrowed).toMatchObject({
        ok: true,
        value: { variant: "default", candidates: route.candidates, template: { user: "long" } },
      });
    }
  });

  it("merges params: the route's, the variant candidate's, the variant's, its reasoning", async () => {
    const narrowed = narrow(await routeOf(text), "cheap");
    expect(narrowed.ok && narrowed.value.candidates[0]).toEqual({
      key: "sim/atlas-small",
      provider: "sim",
      model: "atlas-small",
      trial: false,
      params: { temperature: 0.5, max_tokens: 10, reasoning: { summary: "auto", effort: "low" } },
    });
  });

  it("takes the variant's template and ladder, and the route's schema", async () => {
    const narrowed = narrow(await routeOf(text), "cheap");
    expect(narrowed).toMatchObject({
      value: { template: { user: "short" }, output: { schema: { type: "object" }, ladder: ["coached"] } },
    });
  });

  it("keeps a trial candidate trial, whatever the variant leaves unsaid", async () => {
    const narrowed = narrow(await routeOf(text), "cheap");
    expect(narrowed.ok && narrowed.value.candidates.map(({ key, trial }) => [key, trial])).toEqual([
      ["sim/atlas-small", false],
      ["sim/slow", true],
    ]);
  });

  it("lays a variant's params over every candidate where it names none", async () => {
    const narrowed = narrow(await routeOf(text), "params-only");
    expect(narrowed.ok && narrowed.value.candidates.map(({ params }) => params)).toEqual([
      { max_tokens: 300, temperature: 1 },
      { temperature: 1 },
      { temperature: 1 },
    ]);
  });

  it("refuses an unknown variant and names the valid ones", async () => {
    const narrowed = narrow(await routeOf(text), "cheep");
    expect(narrowed).toMatchObject({ ok: false, error: { class: "bad_request", param: "variant" } });
    expect(narrowed.ok ? "" : narrowed.error.message).toContain("default, cheap, params-only");
  });
});

describe("the model word", () => {
  it.each([
    ["acme.task", { type: "route", route: "acme.task", variant: "default" }],
    ["acme.task@cheap", { type: "route", route: "acme.task", variant: "cheap" }],
    ["acme.task@trial-x:y", { type: "route", route: "acme.task", variant: "trial-x:y" }],
    ["openai/gpt-5.4-mini", { type: "raw", provider: "openai", model: "gpt-5.4-mini" }],
    ["fireworks/accounts/acme/models/x@1", { type: "raw", provider: "fireworks", model: "accounts/acme/models/x@1" }],
    ["auto", { type: "auto", profile: undefined }],
    ["auto:batch", { type: "auto", profile: "batch" }],
    ["automatic.task", { type: "route", route: "automatic.task", variant: "default" }],
  ])("%s", (word, expected) => {
    expect(resolveModelWord(word)).toEqual({ ok: true, value: expected });
  });

  it.each(["", "a b", "/x", "x/", "a@", "a@b@c", "@b", "x\r\ny", "é", "openai/-x", `a/${"x".repeat(200)}`])(
    "refuses %j",
    (word) => {
      const result = resolveModelWord(word);
      expect(result).toMatchObject({ ok: false, error: { class: "bad_request", param: "model" } });
    },
  );
});
