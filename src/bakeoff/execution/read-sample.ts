/** Reads a finished replay call into a sample and the output that was graded. */
import type { CallResult } from "../../call/call.ts";
import { type Inference, wasSent } from "../../call/inference.ts";
import { addUsd, ZERO_USD } from "../../money/nano-usd.ts";
import type { ReplayInput } from "../../replay/replay-input.ts";
import type { Route } from "../../route/route.ts";
import { answerText } from "../../wire/chat.ts";
import { qualityOf } from "./quality.ts";
import type { QualityMetric, Sample, SentBill } from "./sample.ts";
import { checkValues } from "./value-checks.ts";

export interface SampleRead {
  readonly sample: Sample;
  /** JSON where the route has a schema, else the answer's text; absent where none came or it broke the schema. */
  readonly output?: unknown;
  readonly inference: Inference;
}

/** The metric is the report's. */
export function readSample(
  arm: string,
  input: ReplayInput,
  result: CallResult,
  route: Route,
  metric: QualityMetric | undefined,
): SampleRead {
  if (result.type === "stream") throw new TypeError("replay calls are not streamed");
  const output = outputOf(result, route);
  const checks =
    output === undefined || route.valueChecks.length === 0 ? undefined : checkValues(output, route.valueChecks);
  const fate = fateOf(result, route, checks?.gatesPassed ?? true);
  const quality = qualityOf(metric, route, input, { outcome: fate.outcome, output, checks });
  const sample = {
    arm,
    input: input.id,
    ...figuresOf(result.inference),
    bills: billsOf(result.inference),
    ...fate,
    checks: checks && { passed: checks.passed, failed: checks.failed },
    quality,
  };
  return { sample, output, inference: result.inference };
}

type Ended = Exclude<CallResult, { type: "stream" }>;

function outputOf(result: Ended, route: Route): unknown {
  if (result.type !== "answer") return undefined;
  if (route.output) return result.output;
  const [choice] = result.answer.choices;
  return choice && answerText(choice);
}

function fateOf(result: Ended, route: Route, gatesPassed: boolean): Pick<Sample, "outcome" | "failure"> {
  if (result.type === "failure") {
    const { class: failureClass, reason } = result.failure;
    const failure = { class: failureClass, reason };
    if (failureClass === "budget_exhausted") return { outcome: "refused", failure };
    return { outcome: failureClass === "content_invalid" ? "nonconformant" : "failed", failure };
  }
  if (!route.output) return { outcome: "ungraded" };
  if (result.inference.conformant !== true) return { outcome: "nonconformant", failure: { class: "content_invalid" } };
  return gatesPassed ? { outcome: "conformant" } : { outcome: "nonconformant", failure: { class: "value_check" } };
}

/** A provider's own words about usage are not kept. */
function billsOf({ attempts }: Inference): readonly SentBill[] {
  return attempts.filter(wasSent).map(({ provider, model, servedTier, usage, cost }) => {
    return { provider, model, tier: servedTier, usage: usage && { ...usage, raw: undefined }, cost };
  });
}

/** What any replayed call cost and took, an arm's or the judge's. */
export function figuresOf(
  inference: Inference,
): Pick<Sample, "cost" | "costEstimated" | "repairCost" | "latencyMs" | "attempts" | "served" | "rung" | "simulated"> {
  // An attempt that a limit refused was never sent.
  const sent = inference.attempts.filter(({ failure }) => failure?.class !== "budget_exhausted");
  const repairs = sent.filter(({ rung }) => rung === "model_repair");
  return {
    cost: sent.length === 0 ? ZERO_USD : inference.cost,
    costEstimated: inference.costEstimated,
    repairCost: addUsd(...repairs.map(({ cost }) => cost ?? ZERO_USD)),
    latencyMs: inference.latencyMs,
    attempts: sent.length,
    served: inference.served && `${inference.served.provider}/${inference.served.model}`,
    rung: inference.rung,
    simulated: inference.simulated,
  };
}
