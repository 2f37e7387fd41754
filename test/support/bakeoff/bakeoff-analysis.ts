import type { BakeoffRun } from "../../../src/bakeoff/execution/bakeoff-run.ts";
import type { Sample } from "../../../src/bakeoff/execution/sample.ts";
import { armsOf, referenceArm } from "../../../src/bakeoff/plan/arm.ts";
import type { BakeoffPlan } from "../../../src/bakeoff/plan/bakeoff-plan.ts";
import type { ReportFacts } from "../../../src/bakeoff/report/assemble-report.ts";
import { nanoUsd, ZERO_USD } from "../../../src/money/nano-usd.ts";
import type { ReplayInput } from "../../../src/replay/replay-input.ts";
import type { Route } from "../../../src/route/route.ts";
import { routeOf } from "../sources/bundles.ts";

export const LARGE = "sim/atlas-large";

/** A dear default, a cheap variant and a reference, judged quality-first within 5 points. */
export function referencedRoute(): Promise<Route> {
  return routeOf(`route: acme.task
candidates:
  - { provider: sim, model: atlas-large }
  - { provider: sim, model: atlas-small }
input: { type: object, properties: { text: { type: string } } }
template: { user: "{{ text }}" }
output: { schema: { type: object, properties: { a: { type: number } }, required: [a] } }
objective: { mode: quality-first, max_regret: 0.05, price_ceiling: { usd_per_1k: 100 } }
bakeoff: { reference: ${LARGE} }
variants:
  - name: cheap
    candidates: [{ provider: sim, model: atlas-small }]
`);
}

export interface AnalysedRun {
  readonly plan: BakeoffPlan;
  readonly run: BakeoffRun;
  readonly facts: ReportFacts;
}

export interface RunShape {
  readonly inputs: number;
  readonly id?: string;
  readonly prefix?: string;
  /** What of a sample is other than conformant at $0.01, by arm name and input index. */
  readonly sample?: (arm: string, index: number) => Partial<Sample>;
  readonly input?: (index: number) => Partial<ReplayInput>;
  readonly route?: Partial<Route>;
}

/** A finished run, its samples made up; nothing was called. */
export async function analysedRun(shape: RunShape): Promise<AnalysedRun> {
  const { inputs: n, id = "bo_1", prefix = "in_", sample, input } = shape;
  const route = { ...(await referencedRoute()), ...shape.route };
  const variants = armsOf(route, ["cheap"], "default");
  const candidate = route.candidates.find(({ key }) => key === LARGE);
  if (!variants.ok || !candidate) throw new Error("the route has its arms");
  const reference = referenceArm(route, candidate);
  const arms = [...variants.value, reference];
  const inputs = Array.from(
    { length: n },
    (_, index): ReplayInput => ({
      id: `${prefix}${index}`,
      at: index * 1000,
      question: `${prefix}${index}`,
      payload: { kind: "variables", variables: { text: `text ${index}` } },
      ...input?.(index),
    }),
  );
  const samples = arms.flatMap(({ name }) =>
    inputs.map(
      (one, index): Sample => ({
        arm: name,
        input: one.id,
        outcome: "conformant",
        cost: nanoUsd(name === "cheap" ? 2_000_000 : 10_000_000),
        costEstimated: false,
        repairCost: ZERO_USD,
        latencyMs: 100,
        attempts: 1,
        served: "sim/atlas",
        rung: "native_strict",
        simulated: true,
        ...sample?.(name, index),
      }),
    ),
  );
  return {
    plan: {
      ...{ id, org: "local", route, arms, inputs, done: [], concurrency: 4, metric: "conformance" as const },
      budgetPerArm: nanoUsd(5_000_000_000),
      sampling: { representative: true, text: "the newest captures" },
      reference: { type: "arm", arm: reference, by: "declared" },
    },
    run: { samples, stopped: new Map() },
    facts: { asked: n, seed: 7, startedAt: 0, finishedAt: 1000 },
  };
}
