import { describe, expect, it } from "vitest";
import { estimateBakeoff } from "../../../src/bakeoff/plan/estimate.ts";
import type { JournalPlan } from "../../../src/bakeoff/plan/journal-plan.ts";
import { planOf } from "../../../src/bakeoff/plan/resolve-plan.ts";
import { MOST_ARMS } from "../../../src/bakeoff/report/report-fields.ts";
import type { BakeoffOptions } from "../../../src/cli/bakeoff/run/options.ts";
import { journalToResume } from "../../../src/cli/bakeoff/run/request.ts";
import { nanoUsd } from "../../../src/money/nano-usd.ts";
import type { Route } from "../../../src/route/route.ts";
import { familyLevel } from "../../../src/stats/alpha-spending.ts";
import { detectable, pairsNeeded } from "../../../src/stats/power.ts";
import { routeOf } from "../../support/sources/bundles.ts";

const routeWith = (variants: number, more = ""): Promise<Route> =>
  routeOf(`route: acme.task
candidates:
  - { provider: sim, model: atlas-large }
  - { provider: sim, model: atlas-small }
template: { user: "{{ text }}" }
input: { type: object, properties: { text: { type: string } } }
output: { schema: { type: object, properties: { a: { type: number } }, required: [a] } }
${more}
variants:
${Array.from({ length: variants }, (_, index) => `  - { name: v${index}, candidates: [{ provider: sim, model: atlas-small }] }`).join("\n")}
`);

const journalOf = (route: Route): JournalPlan => ({
  id: "bo_1",
  route: route.name,
  route_hash: route.hash,
  variants: route.variants.map(({ name }) => name),
  incumbent: "default",
  reference: { candidate: "sim/atlas-large", by: "declared" },
  asked: 40,
  sampling: "made up",
  representative: true,
  budget_nano: nanoUsd(1e9),
  judge_day_nano: nanoUsd(0),
  concurrency: 1,
  seed: 1,
  keep_outputs: 0,
  started_at: "2026-11-01T00:00:00.000Z",
});

const inputs = Array.from({ length: 40 }, (_, index) => ({
  id: `in_${index}`,
  at: index,
  question: `question ${index}`,
  payload: { kind: "variables" as const, variables: { text: `text ${index}` } },
}));
const providers = { find: () => undefined, model: () => undefined };
const facts = { providers, prices: { find: () => undefined }, past: new Map(), at: new Date(0) };
const nothing = { org: "local", inputs, done: [] };

describe("the plan of a bake-off", () => {
  it("is refused, before anything is spent, where a report could not hold its arms", async () => {
    // The incumbent and the reference are arms as well.
    const fits = await routeWith(MOST_ARMS - 2);
    expect(planOf(journalOf(fits), fits, nothing)).toMatchObject({ ok: true });
    const over = await routeWith(MOST_ARMS - 1);
    expect(planOf(journalOf(over), over, nothing)).toMatchObject({ ok: false, error: { class: "bad_request" } });
  });
});

describe("the estimate", () => {
  it("names a model without a price once, however many arms ask it", async () => {
    const route = await routeWith(3);
    const plan = planOf(journalOf(route), route, nothing);
    if (!plan.ok) throw new Error(plan.error.message);
    const { unpriced } = estimateBakeoff(plan.value, facts as never);
    expect([...unpriced].sort()).toEqual(["sim/atlas-large", "sim/atlas-small"]);
  });
});

describe("the power told before spending", () => {
  for (const challengers of [1, 3]) {
    it(`is that of the bounds that will decide on ${challengers} challengers`, async () => {
      const route = await routeWith(challengers, "objective: { mode: quality-first, max_regret: 0.05 }");
      const plan = planOf(journalOf(route), route, nothing);
      if (!plan.ok) throw new Error(plan.error.message);
      const confidence = 1 - (2 * familyLevel(1)) / challengers;
      const told = estimateBakeoff(plan.value, facts as never);
      expect(told.pairsForMaxRegret).toBe(pairsNeeded({ epsilon: 0.05, discordance: 0.1, confidence }));
      expect(told.detectable).toBe(detectable(inputs.length, { discordance: 0.1, confidence }));
    });
  }
});

describe("a bake-off that is resumed", () => {
  const flags: BakeoffOptions = { replayLast: "200", concurrency: "8", repeats: "1", keepOutputs: "0" };

  it.each([
    ["--variants", { variants: "cheap" }],
    ["--seed", { seed: "2" }],
    ["--failures-first", { failuresFirst: true }],
    ["--route", { route: "another.task" }],
  ])("refuses %s, which would make it another one", async (flag, more) => {
    const kept = journalOf(await routeWith(1));
    expect(() => journalToResume({ ...flags, ...more }, kept)).toThrow(flag === "--route" ? kept.route : flag);
  });

  it("takes another budget, once", async () => {
    const kept = journalOf(await routeWith(1));
    expect(journalToResume({ ...flags, budgetUsd: "2", route: kept.route }, kept).budget_nano).toBe(2e9);
    expect(() => journalToResume({ ...flags, budgetUsd: "2", envelope: "3" }, kept)).toThrow("--envelope");
  });
});
