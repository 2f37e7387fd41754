/** A bake-off on the real engine and the simulated provider at zero latency. */
import { beforeAll, describe, expect, it } from "vitest";
import { runBakeoff } from "../../../src/bakeoff/execution/run-bakeoff.ts";
import { armsOf } from "../../../src/bakeoff/plan/arm.ts";
import { replayEnvelope } from "../../../src/bakeoff/plan/bakeoff-envelopes.ts";
import { reportOf } from "../../../src/bakeoff/report/assemble-report.ts";
import { executeCall } from "../../../src/call/execute.ts";
import { replayLedger } from "../../../src/cli/replay-ledger.ts";
import { DEFAULT_CONFIG } from "../../../src/config/defaults.ts";
import { nanoUsd, usdToNano } from "../../../src/money/nano-usd.ts";
import type { ReplayInput } from "../../../src/replay/replay-input.ts";
import type { Route } from "../../../src/route/route.ts";
import { seededRandom } from "../../../src/stats/random.ts";
import { engineHost } from "../../../src/workspace/engine-host.ts";
import { routeOf } from "../../support/sources/bundles.ts";

let route: Route;
beforeAll(async () => {
  route = await routeOf(`route: acme.task
candidates:
  - { provider: sim, model: atlas-large, params: { max_tokens: 200 } }
  - { provider: sim, model: atlas-small, params: { max_tokens: 200 } }
  - { provider: sim, model: flaky, params: { max_tokens: 200 } }
input: { type: object, properties: { text: { type: string } } }
template: { user: "{{ text }}" }
output: { schema: { type: object, properties: { summary: { type: string, minLength: 1 } }, required: [summary] } }
variants:
  - name: cheap
    candidates: [{ provider: sim, model: atlas-small }]
  - name: flaky
    candidates: [{ provider: sim, model: flaky }]
`);
});

const inputs: ReplayInput[] = Array.from({ length: 80 }, (_, index) => ({
  id: `cap_${index}`,
  at: index,
  question: `question ${index}`,
  payload: { kind: "variables", variables: { text: `Order ${index} arrived late and the box was open.` } },
}));

async function bakeOff(budget: number, concurrency: number) {
  const arms = armsOf(route, ["cheap", "flaky"], "default");
  if (!arms.ok) throw new Error(arms.error.message);
  const ledger = replayLedger(Date.now);
  const bundle = {
    schema: "modelrig.compiled/1" as const,
    routes: [route],
    config: { ...DEFAULT_CONFIG, simLatency: 0 },
  };
  const ports = engineHost(bundle, { environment: {}, envelopes: ledger, recorder: { record: () => undefined } });
  const plan = {
    id: "bo_1",
    org: "local",
    route,
    arms: arms.value,
    inputs,
    budgetPerArm: nanoUsd(budget),
    sampling: { representative: true, text: "the newest captures" },
    concurrency,
    done: [],
  };
  const run = await runBakeoff(
    plan,
    { execute: (input) => executeCall(input, ports), random: seededRandom(3), onSample: () => undefined },
    new AbortController().signal,
  );
  const report = await reportOf(plan, run, { asked: 80, seed: 3, startedAt: 0, finishedAt: 1 });
  const spent = (arm: string) => ledger.spent(replayEnvelope("bo_1", arm, plan.budgetPerArm).id);
  return { report, spent };
}

describe("a bake-off on the engine", () => {
  it("measures every arm, and books in its envelope exactly what the report says", async () => {
    const { report, spent } = await bakeOff(1_000_000_000, 8);
    expect(report).toMatchObject({ partial: false, simulated: true });
    for (const arm of report.arms) {
      expect(arm.sent).toBe(80);
      expect(spent(arm.arm)).toBe(usdToNano(arm.spend_usd));
    }
    const cheap = report.gate.verdicts.find(({ arm }) => arm === "cheap");
    // 80 inputs are too few to exclude a drop of 5 points; the cost is separated.
    expect(cheap?.clauses.filter(({ met }) => !met).map(({ clause }) => clause)).toEqual(["conformance_drop"]);
  });

  for (const concurrency of [1, 4, 32]) {
    it(`stops arms at a budget that a few worst cases fill, with ${concurrency} at a time`, async () => {
      const { report, spent } = await bakeOff(6_000_000, concurrency);
      const incumbent = report.arms[0];
      expect(incumbent).toMatchObject({ stopped: "budget", complete: false });
      expect(incumbent?.sent).toBeGreaterThan(1);
      for (const arm of report.arms) {
        expect(spent(arm.arm)).toBeLessThanOrEqual(6_000_000);
        expect(spent(arm.arm)).toBe(usdToNano(arm.spend_usd));
      }
    });
  }
});
