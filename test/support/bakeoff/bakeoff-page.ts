/** Reports and samples to make pages of. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ArmReport } from "../../../src/bakeoff/analysis/arm-report.ts";
import { planText, sampleText } from "../../../src/bakeoff/execution/journal.ts";
import { reportOf } from "../../../src/bakeoff/report/assemble-report.ts";
import type { BakeoffReport } from "../../../src/bakeoff/report/bakeoff-report.ts";
import { gateOf } from "../../../src/bakeoff/report/consistency.ts";
import { writeInputs } from "../../../src/cli/bakeoff/files/input-file.ts";
import { pageScript } from "../../../src/cli/bakeoff/report/page-script.ts";
import type { LocalSamples } from "../../../src/render/page/local-samples.ts";
import { bakeoffPage, type PageOptions } from "../../../src/render/page/page.ts";
import { wilson } from "../../../src/stats/wilson.ts";
import { recordOf } from "../../../src/telemetry/record.ts";
import { anInference } from "../store/inferences.ts";
import { analysedRun } from "./bakeoff-analysis.ts";
import { armFigures, pairFigures, pairsWith, REFERENCE, regretFigures } from "./bakeoff-figures.ts";
import { journalOf } from "./bakeoff-run.ts";
import { passedExamination } from "./examined-judge.ts";

const INPUTS = 260;

/** Five arms: one better, one within, one open and stopped, and everything a health note tells of. */
export function fiveArms(more: Partial<BakeoffReport> = {}): BakeoffReport {
  const challengers = ["cheap", "trial-y-flash", "scaffolded"];
  const limit = 0.04;
  const clustered = (pairs: ReturnType<typeof pairsWith>) =>
    pairs.map((pair, i) => ({ ...pair, cluster: `c${i % 130}` }));
  const regrets = regretFigures(
    [
      { arm: "default", metric: "judge" as const, pairs: clustered(pairsWith(INPUTS, 3, 2)), limit },
      { arm: "cheap", metric: "judge" as const, pairs: clustered(pairsWith(INPUTS - 3, 1, 1)), inputs: INPUTS, limit },
      { arm: "trial-y-flash", metric: "judge" as const, pairs: clustered(pairsWith(38, 2, 1)), inputs: INPUTS, limit },
      { arm: "scaffolded", metric: "judge" as const, pairs: clustered(pairsWith(INPUTS, 0, 40)), limit },
      ...challengers.map((arm) => ({
        arm,
        against: "default",
        metric: "judge" as const,
        pairs: clustered(pairsWith(INPUTS, 0, 9)),
        limit,
      })),
    ],
    { challengers },
  );
  const report: BakeoffReport = {
    schema: "modelrig.bakeoff/1",
    id: "bo_19",
    route: "example.support_summarize",
    route_hash: "a".repeat(64),
    started_at: "2026-11-29T12:00:00.000Z",
    finished_at: "2026-11-29T12:01:00.000Z",
    seed: 7,
    concurrency: 8,
    budget_usd_per_arm: "5.000000000",
    simulated: false,
    partial: true,
    inputs: { asked: 300, used: INPUTS, weight: 312, variables: INPUTS - 10, messages: 10 },
    metric: "judge",
    schema_declared: true,
    objective: { mode: "quality-first", max_regret: 0.04, max_conformance_drop: 0.05, usd_per_1k: 4 },
    answers: { evidence: "checked", accepted: false, reason: "answers were judged by a judge" },
    sampling: { representative: true, text: "the newest captures" },
    evidence_store: { kept: true },
    reference: { arm: REFERENCE, by: "declared" },
    judge: {
      ...{ model: "mistral/mistral-large", pairs: 818, tied: 310, both_orders: 400, flipped: 12 },
      ...{ identical: 41, no_output: 6, examination: passedExamination() },
      ...{ unusable: { "content_invalid/schema_violation": 3 }, spend_usd: "0.412000000", cost_unknown: 0 },
    },
    incumbent: "default",
    arms: [
      arm("default", 255, { role: "incumbent", effective: { usd_per_1k: 3.06, low: 2.71, high: 3.46 } }),
      arm("cheap", 254, {
        effective: { usd_per_1k: 0.61, low: 0.55, high: 0.68 },
        failures: { "network/timeout": 2, "content_invalid/schema_violation": 4 },
      }),
      arm("trial-y-flash", 37, {
        ...{
          sent: 38,
          graded: 38,
          complete: false,
          stopped: "budget",
          effective: { usd_per_1k: 0.44, low: 0.31, high: 0.62 },
        },
        ...{ conformance: rateOf(37, 38), cost_estimated: 3, rungs: { json_object: 20, coached: 18 } },
      }),
      arm("scaffolded", 257, {
        effective: { usd_per_1k: 3.9, low: 3.6, high: 4.2 },
        repair: { count: 5, rate: 5 / INPUTS, cost_usd: "0.004100000" },
      }),
      arm(REFERENCE, 260, { role: "reference", effective: { usd_per_1k: 9.1, low: 8.8, high: 9.4 } }),
    ],
    pairs: [
      pairFigures("cheap", { n_paired: INPUTS }),
      pairFigures("trial-y-flash", { n_paired: 38, cost_ratio: { ratio: 0.14, low: 0.1, high: 0.2, level: 0.0025 } }),
      pairFigures("scaffolded", { n_paired: INPUTS, cost_ratio: { ratio: 1.27, low: 1.1, high: 1.45, level: 0.0025 } }),
    ],
    regrets,
    gate: { kind: "quality-first", verdicts: [], reason: "" },
    ...more,
  };
  return { ...report, gate: gateOf(report) };
}

function arm(name: string, conformant: number, more: Partial<ArmReport>): ArmReport {
  return armFigures(name, {
    ...{
      candidates: [name.replace(/^reference:/, "") === name ? `sim/atlas-${name}` : name.slice("reference:".length)],
    },
    ...{ sent: INPUTS, graded: INPUTS - 2, conformant, conformance: rateOf(conformant, INPUTS) },
    ...{
      rungs: { native_strict: INPUTS - 12, json_object: 8, syntax_repair: 4 },
      latency_ms: { n: INPUTS, p50: 412 + conformant, p95: 1180 },
    },
    ...more,
  });
}

function rateOf(k: number, n: number): NonNullable<ArmReport["conformance"]> {
  const { low, high } = wilson(k, n) ?? { low: 0, high: 1 };
  return { rate: k / n, low, high };
}

export interface PageRun {
  readonly report: BakeoffReport;
  readonly local: LocalSamples;
}

export interface PageRunShape {
  readonly inputs?: number;
  /** The output of an arm for an input; undefined = none came. */
  readonly output?: (arm: string, index: number) => unknown;
  readonly variables?: (index: number) => Readonly<Record<string, unknown>>;
}

/** Three arms with their samples: of `cheap`, every tenth answer breaks the schema. */
export async function runWithSamples({
  inputs = 40,
  output = defaultOutput,
  variables,
}: PageRunShape = {}): Promise<PageRun> {
  const fails = (arm: string, index: number): boolean => arm === "cheap" && index % 10 === 3;
  const { plan, run, facts } = await analysedRun({
    inputs,
    input: (index) => (variables ? { payload: { kind: "variables", variables: variables(index) } } : {}),
    sample: (arm, index) => ({
      latencyMs: (arm === "cheap" ? 120 : 300) + ((index * 37) % 90),
      ...(fails(arm, index) && {
        outcome: "nonconformant",
        failure: { class: "content_invalid", reason: "schema_violation" },
        quality: { metric: "conformance", score: 0 },
      }),
    }),
  });
  const outputs = plan.arms.flatMap(({ name }) =>
    plan.inputs.flatMap(({ id }, index) => {
      const answer = fails(name, index) ? undefined : output(name, index);
      return answer === undefined
        ? []
        : [{ input: id, arm: name, output: answer, inferenceId: `inf_${name.replace(/\W/g, "_")}_${index}` }];
    }),
  );
  const local = {
    inputs: plan.inputs,
    samples: run.samples,
    verdicts: run.judged?.verdicts ?? [],
    outputs,
    priceBooks: ["2026-11-28"],
  };
  return { report: await reportOf(plan, run, facts), local };
}

function defaultOutput(arm: string, index: number): unknown {
  const summary =
    arm === "cheap"
      ? `The customer of ticket ${index} asks for a refund.`
      : `Customer ${index} asks for a full refund of the order.`;
  return {
    summary,
    priority: index % 3 === 0 && arm === "cheap" ? "low" : "high",
    items: [1, 2, index % 4],
    ...(arm === "cheap" && { language: "en" }),
  };
}

/** The files that a bake-off leaves behind in `.modelrig/bakeoffs`, of a run that was made up. */
export function keepRun(cwd: string, { report, local }: PageRun): void {
  const folder = join(cwd, ".modelrig", "bakeoffs");
  mkdirSync(folder, { recursive: true });
  const beside = (name: string): string => join(folder, `${report.id}${name}`);
  writeFileSync(beside(".json"), JSON.stringify(report));
  writeFileSync(beside(".jsonl"), planText(journalOf({ id: report.id })) + local.samples.map(sampleText).join(""));
  writeInputs(beside(".inputs.jsonl"), local.inputs);
  const lines = local.outputs.map(({ inferenceId, ...output }) => {
    const record = inferenceId === undefined ? undefined : recordOf(anInference({ id: inferenceId, lane: "replay" }));
    return `${JSON.stringify({ ...output, record })}\n`;
  });
  writeFileSync(beside(".outputs.jsonl"), lines.join(""));
}

/** The page with the script that the build makes. */
export function pageOf(report: BakeoffReport, options: Omit<PageOptions, "script"> = {}): Promise<string> {
  return bakeoffPage(report, { ...options, script: pageScript() });
}
