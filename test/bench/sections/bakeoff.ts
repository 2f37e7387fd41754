/** The bake-off engine on the simulated provider without its delays, and the statistics of a large run. */

import { runBakeoff } from "../../../src/bakeoff/execution/run-bakeoff.ts";
import type { Sample } from "../../../src/bakeoff/execution/sample.ts";
import { armsOf } from "../../../src/bakeoff/plan/arm.ts";
import type { BakeoffPlan } from "../../../src/bakeoff/plan/bakeoff-plan.ts";
import { reportOf } from "../../../src/bakeoff/report/assemble-report.ts";
import { executeCall } from "../../../src/call/execute.ts";
import { replayLedger } from "../../../src/cli/replay-ledger.ts";
import { compileAll } from "../../../src/config/compile-all.ts";
import type { CompiledBundle } from "../../../src/config/config.ts";
import { nanoUsd, usdToNano, ZERO_USD } from "../../../src/money/nano-usd.ts";
import { seededRandom } from "../../../src/stats/random.ts";
import { engineHost } from "../../../src/workspace/engine-host.ts";
import { type Figure, median } from "../figures.ts";

const SAMPLES_PER_ARM = 10_000;
const VARIANTS = ["small", "short", "coached"];

const ROUTE = `route: bench.extract
candidates:
  - { provider: sim, model: atlas-large, params: { max_tokens: 200 } }
  - { provider: sim, model: atlas-small, params: { max_tokens: 200 } }
variants:
  - { name: small, candidates: [{ provider: sim, model: atlas-small }] }
  - { name: short, params: { max_tokens: 150 } }
  - { name: coached, output: { ladder: [coached, syntax_repair] } }
input:
  type: object
  properties: { ticket: { type: string } }
  required: [ticket]
  additionalProperties: false
template: { user: "Summarise this ticket: {{ ticket }}" }
output:
  schema:
    type: object
    properties:
      subject: { type: string }
      urgent: { type: boolean }
      tags: { type: array, items: { type: string } }
    required: [subject, urgent, tags]
    additionalProperties: false
`;

export async function bakeoff(): Promise<readonly Figure[]> {
  const compiled = await compiledRoute();
  const rates: number[] = [];
  for (let run = 0; run < 4; run += 1) rates.push(await samplesPerSecond(compiled));
  return [
    {
      what: "engine, sim without latency",
      value: median(rates.slice(1)),
      unit: "samples/s",
      goal: { least: 2_000 },
      detail: "4 arms, template, schema and ladder",
    },
    {
      what: `statistics of 4 arms × ${SAMPLES_PER_ARM.toLocaleString("en")} samples`,
      value: await secondsOfStatistics(compiled),
      unit: "s",
      goal: { most: 2 },
    },
  ];
}

async function samplesPerSecond(compiled: CompiledBundle): Promise<number> {
  const plan = planFor(compiled, 500);
  const host = engineHost(compiled, {
    environment: {},
    envelopes: replayLedger(Date.now),
    recorder: { record: () => undefined },
  });
  const ports = {
    execute: (input: Parameters<typeof executeCall>[0]) => executeCall(input, host),
    random: seededRandom(1),
    onSample: () => undefined,
  };
  const startedAt = performance.now();
  const { samples, stopped } = await runBakeoff(plan, ports, new AbortController().signal);
  if (stopped.size > 0 || samples.length !== plan.arms.length * plan.inputs.length)
    throw new Error("samples are missing");
  const answered = samples.filter(({ outcome }) => outcome === "conformant" || outcome === "nonconformant").length;
  if (answered < samples.length / 2) throw new Error(`only ${answered} of ${samples.length} samples brought an answer`);
  return (samples.length * 1000) / (performance.now() - startedAt);
}

async function secondsOfStatistics(compiled: CompiledBundle): Promise<number> {
  const plan = planFor(compiled, SAMPLES_PER_ARM);
  const random = seededRandom(7);
  const samples = plan.inputs.flatMap(({ id }) => plan.arms.map(({ name }) => sampleFor(name, id, random)));
  const startedAt = performance.now();
  await reportOf(
    plan,
    { samples, stopped: new Map() },
    { asked: SAMPLES_PER_ARM, seed: 7, startedAt: 0, finishedAt: 1 },
  );
  return (performance.now() - startedAt) / 1000;
}

function sampleFor(arm: string, input: string, random: () => number): Sample {
  return {
    arm,
    input,
    outcome: random() < 0.95 ? "conformant" : "nonconformant",
    cost: nanoUsd(Math.round(100_000 + 400_000 * random())),
    costEstimated: false,
    repairCost: ZERO_USD,
    latencyMs: Math.round(200 + 3_000 * random()),
    attempts: 1,
    served: "sim/atlas-small",
    rung: "native_strict",
    simulated: true,
  };
}

function planFor({ routes }: CompiledBundle, inputs: number): BakeoffPlan {
  const [route] = routes;
  const arms = armsOf(route!, VARIANTS, "default");
  if (!arms.ok) throw new Error(arms.error.message);
  return {
    ...{ id: "bo_bench", org: "local", route: route!, arms: arms.value, done: [], concurrency: 8 },
    budgetPerArm: usdToNano("100000"),
    sampling: { representative: true, text: "the newest captures" },
    inputs: Array.from({ length: inputs }, (_, index) => ({
      id: `input_${index}`,
      at: 1_750_000_000_000 + index,
      question: `question ${index}`,
      payload: { kind: "variables", variables: { ticket: `Ticket ${index}: the printer on floor 3 is on fire.` } },
    })),
  };
}

async function compiledRoute(): Promise<CompiledBundle> {
  const config = { file: "modelrig.yaml", text: "sim: { enabled: true, latency: 0 }\n" };
  const files = [{ file: "bench.extract.yaml", text: ROUTE }];
  const result = await compileAll(files, config, { at: new Date(), readFile: () => undefined });
  if (!result.ok) throw new Error(JSON.stringify(result.error, null, 2));
  return result.value;
}
