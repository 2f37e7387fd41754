import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { compileAll } from "../../../src/config/compile-all.ts";
import { narrow } from "../../../src/route/narrow.ts";
import type { Candidate, Route } from "../../../src/route/route.ts";

/** More models than any route declares, so that a variant has something to widen to. */
const MODELS = ["atlas-large", "atlas-small", "nimbus-mini", "flaky", "slow", "other"];

const params = fc.record(
  {
    temperature: fc.double({ min: 0, max: 2, noNaN: true }),
    max_tokens: fc.integer({ min: 1, max: 5_000 }),
    stop: fc.array(fc.string(), { maxLength: 2 }),
    reasoning: fc.record({ effort: fc.constantFrom("low", "high") }, { requiredKeys: [] }),
    extra: fc.dictionary(fc.constantFrom("provider", "model", "key", "trial", "candidates"), fc.string()),
  },
  { requiredKeys: [] },
);
const candidate = fc.record(
  { provider: fc.constant("sim"), model: fc.constantFrom(...MODELS), params, trial: fc.boolean() },
  { requiredKeys: ["provider", "model"] },
);
const variant = fc.record(
  {
    name: fc.constantFrom("a", "b", "c", "trial-sim-slow"),
    candidates: fc.array(candidate, { minLength: 1, maxLength: 4 }),
    params,
    reasoning: fc.record({ effort: fc.constantFrom("none", "max") }, { requiredKeys: [] }),
  },
  { requiredKeys: ["name"] },
);
const bundle = fc.record({
  route: fc.constant("acme.task"),
  candidates: fc.array(candidate, { minLength: 1, maxLength: 5 }),
  variants: fc.array(variant, { maxLength: 4 }),
});

async function compiled(document: unknown): Promise<Route | undefined> {
  const files = [{ file: "acme.task.yaml", text: stringify(document) }];
  const result = await compileAll(files, undefined, { at: new Date(0), readFile: () => undefined });
  return result.ok ? result.value.routes[0] : undefined;
}

/** What nothing may depart from: who is declared, and who of them is only on trial. */
function expectWithin(route: Route, served: readonly Candidate[]): void {
  const declared = new Map(route.candidates.map((it) => [it.key, it]));
  expect(new Set(served.map(({ key }) => key)).size).toBe(served.length);
  for (const { key, provider, model, trial } of served) {
    const own = declared.get(key);
    expect(own).toBeDefined();
    expect({ provider, model, key }).toEqual({
      provider: own?.provider,
      model: own?.model,
      key: `${provider}/${model}`,
    });
    if (own?.trial) expect(trial).toBe(true);
  }
}

describe("nothing outside the declared candidates can serve a route", () => {
  it("whatever bundle compiles and whatever variant is asked for", async () => {
    let compiledBundles = 0;
    await fc.assert(
      fc.asyncProperty(bundle, fc.string(), async (document, word) => {
        const route = await compiled(document);
        if (!route) return;
        compiledBundles += 1;
        for (const name of [undefined, "default", word, ...document.variants.map((it) => it.name)]) {
          const narrowed = narrow(route, name);
          if (narrowed.ok) expectWithin(route, narrowed.value.candidates);
          else expect(narrowed.error.class).toBe("bad_request");
        }
      }),
      { numRuns: 300 },
    );
    expect(compiledBundles).toBeGreaterThan(20);
  });

  it("even from compiled JSON that was tampered with", () => {
    const outside = fc.record({
      key: fc.string(),
      provider: fc.string(),
      model: fc.string(),
      params,
      trial: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(outside, { maxLength: 5 }), (intruders) => {
        const own: Candidate = { key: "sim/slow", provider: "sim", model: "slow", params: {}, trial: true };
        const forged = { ...own, provider: "elsewhere", trial: false };
        const route = { candidates: [own], variants: [{ name: "v", candidates: [forged, ...intruders] }] };
        const narrowed = narrow(route as unknown as Route, "v");
        expect(
          narrowed.ok && narrowed.value.candidates.map(({ key, provider, trial }) => ({ key, provider, trial })),
        ).toEqual([{ key: "sim/slow", provider: "sim", trial: true }]);
      }),
    );
  });
});
