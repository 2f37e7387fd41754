/** Takes a simulated look through the product's own code, from samples to the gate. */
import type { LookRecord } from "../../../../src/bakeoff/evidence/look-record.ts";
import type { Sample } from "../../../../src/bakeoff/execution/sample.ts";
import { type Arm, armsOf, referenceArm } from "../../../../src/bakeoff/plan/arm.ts";
import { reportWithEvidence } from "../../../../src/bakeoff/report/assemble-report.ts";
import type { BakeoffReport } from "../../../../src/bakeoff/report/bakeoff-report.ts";
import { nanoUsd, ZERO_USD } from "../../../../src/money/nano-usd.ts";
import type { ReplayInput } from "../../../../src/replay/replay-input.ts";
import type { Route } from "../../../../src/route/route.ts";
import { memoryEvidence } from "../../../support/bakeoff/memory-evidence.ts";
import { routeOf } from "../../../support/sources/bundles.ts";
import type { SimulatedArm, SimulatedLook, SimulatedOutcomes } from "./simulated-look.ts";

const DAY_MS = 86_400_000;
const REFERENCE = "sim/atlas-large";

/** The gate with its evidence of earlier looks, as one route of an org has it. */
export class SimulatedRoute {
  readonly #looks: LookRecord[] = [];

  async report(look: SimulatedLook): Promise<BakeoffReport> {
    const route = await compiled(look);
    const variants = armsOf(
      route,
      look.arms.map(({ name }) => name),
      "default",
    );
    const candidate = route.candidates.find(({ key }) => key === REFERENCE);
    if (!variants.ok || !candidate) throw new Error("the route has its arms");
    const reference = referenceArm(route, candidate);
    const arms = look.mode === "cost-first" ? variants.value : [...variants.value, reference];
    const at = look.day * DAY_MS;
    const inputs = look.inputs.map(({ question, weight, customer }, index): ReplayInput => {
      const payload = { kind: "variables", variables: { text: question } } as const;
      return { id: `in_${index}`, at, question, weight, cluster: customer, payload };
    });
    const plan = {
      ...{ id: look.bakeoff, org: "local", route, arms, inputs, done: [], concurrency: 4 },
      metric: look.mode === "cost-first" ? ("conformance" as const) : ("golden" as const),
      budgetPerArm: nanoUsd(5_000_000_000),
      sampling: { representative: true, text: "the newest captures" },
      ...(look.mode === "quality-first" && { reference: { type: "arm", arm: reference, by: "declared" } as const }),
    };
    const samples = arms.flatMap((arm) => samplesOf(arm, outcomesOf(arm, look), look, inputs));
    const facts = { asked: inputs.length, seed: 1, startedAt: at, finishedAt: at };
    const run = { samples, stopped: new Map(), verdicts: [] };
    return reportWithEvidence(plan, run, facts, memoryEvidence(this.#looks), "deciding");
  }
}

function outcomesOf({ name, role }: Arm, { incumbent, arms }: SimulatedLook): SimulatedOutcomes {
  return (role === "challenger" && arms.find((one) => one.name === name)) || incumbent;
}

function samplesOf(
  { name }: Arm,
  { scores, costs }: SimulatedOutcomes,
  { mode }: SimulatedLook,
  inputs: readonly ReplayInput[],
): Sample[] {
  return inputs.map(({ id }, index) => {
    const score = scores[index] ?? 0;
    return {
      ...{ arm: name, input: id, cost: nanoUsd(costs[index] ?? 0) },
      ...{ costEstimated: false, repairCost: ZERO_USD, latencyMs: 100, attempts: 1, simulated: true },
      outcome: mode === "cost-first" && score < 1 ? "nonconformant" : "conformant",
      ...(mode === "quality-first" && { quality: { metric: "golden", score } }),
    };
  });
}

const routes = new Map<string, Promise<Route>>();

function compiled({ mode, limit, arms }: SimulatedLook): Promise<Route> {
  const text = routeText(mode, limit, arms);
  const known = routes.get(text) ?? routeOf(text);
  routes.set(text, known);
  return known;
}

function routeText(mode: SimulatedLook["mode"], limit: number, arms: readonly SimulatedArm[]): string {
  const objective = [
    `mode: ${mode}`,
    `max_conformance_drop: ${limit}`,
    ...(mode === "quality-first" ? [`max_regret: ${limit}`] : []),
  ];
  return `route: acme.task
candidates:
  - { provider: sim, model: atlas-large }
  - { provider: sim, model: atlas-small }
input: { type: object, properties: { text: { type: string } } }
template: { user: "{{ text }}" }
output: { schema: { type: object, properties: { a: { type: number } }, required: [a] } }
objective: { ${objective.join(", ")} }
${mode === "quality-first" ? `bakeoff: { reference: ${REFERENCE} }\n` : ""}variants:
${arms.map(variantText).join("\n")}
`;
}

function variantText({ name, serves, blanks = 0 }: SimulatedArm): string {
  const template = `{ user: ${JSON.stringify(`${" ".repeat(blanks)}Prompt ${serves}: {{ text }}`)} }`;
  return `  - { name: ${name}, candidates: [{ provider: sim, model: atlas-small }], template: ${template} }`;
}
