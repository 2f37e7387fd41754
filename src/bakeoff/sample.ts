import type { CallResult } from "../call/call.ts";
import type { FailureClass, FailureReason } from "../failure/failure.ts";
import { addUsd, type NanoUsd, ZERO_USD } from "../money/nano-usd.ts";
import type { Route, ServedRung } from "../route/route.ts";
import { checkValues } from "./value-checks.ts";

/**
 * `ungraded`: an answer came and the route declares no schema to hold it against. `failed`: no answer to grade.
 * `refused`: the arm's envelope could not take it, so it was not sent.
 */
export type SampleOutcome = "conformant" | "nonconformant" | "ungraded" | "failed" | "refused";

/** How quality was measured, best evidence first. A report names the one it used. */
export const QUALITY_METRICS = ["golden", "value_accuracy", "judge", "conformance"] as const;
export type QualityMetric = (typeof QUALITY_METRICS)[number];

/** One input on one arm, in figures. Holds no text of the call. */
export interface Sample {
  readonly arm: string;
  readonly input: string;
  readonly outcome: SampleOutcome;
  /** `value_check`: the output passed the schema and failed a check declared as a gate. */
  readonly failure?:
    | { readonly class: FailureClass | "value_check"; readonly reason?: FailureReason | undefined }
    | undefined;
  /** Absent = unknown. Failed attempts and repairs are in it. */
  readonly cost?: NanoUsd | undefined;
  readonly costEstimated: boolean;
  /** Part of `cost` that went into paid repair calls. */
  readonly repairCost: NanoUsd;
  readonly latencyMs: number;
  /** Requests that went upstream. */
  readonly attempts: number;
  readonly served?: string | undefined;
  readonly rung?: ServedRung | undefined;
  readonly checks?: { readonly passed: number; readonly failed: number } | undefined;
  /** Score from 0 to 1. A sent sample without an output scores 0; absent where nothing could grade it. */
  readonly quality?: { readonly metric: QualityMetric; readonly score: number } | undefined;
  readonly simulated: boolean;
}

/** Reads a finished replay call into a sample. */
export function sampleOf(arm: string, input: string, result: CallResult, route: Route): Sample {
  if (result.type === "stream") throw new TypeError("replay calls are not streamed");
  const { inference } = result;
  // An attempt that a limit refused was never sent.
  const sent = inference.attempts.filter(({ failure }) => failure?.class !== "budget_exhausted");
  const repairs = sent.filter(({ rung }) => rung === "model_repair");
  const base = {
    arm,
    input,
    cost: sent.length === 0 ? ZERO_USD : inference.cost,
    costEstimated: inference.costEstimated,
    repairCost: addUsd(...repairs.map(({ cost }) => cost ?? ZERO_USD)),
    latencyMs: inference.latencyMs,
    attempts: sent.length,
    served: inference.served && `${inference.served.provider}/${inference.served.model}`,
    rung: inference.rung,
    simulated: inference.simulated,
  };
  if (result.type === "failure") {
    const { class: failureClass, reason } = result.failure;
    const failure = { class: failureClass, reason };
    if (failureClass === "budget_exhausted") return { ...base, outcome: "refused", failure };
    return { ...base, outcome: failureClass === "content_invalid" ? "nonconformant" : "failed", failure };
  }
  if (!route.output) return { ...base, outcome: "ungraded" };
  const { passed, failed, gatesPassed } = checkValues(result.output, route.valueChecks);
  const checks = route.valueChecks.length > 0 ? { passed, failed } : undefined;
  if (inference.conformant === true && gatesPassed) return { ...base, outcome: "conformant", checks };
  const failureClass = inference.conformant === true ? "value_check" : "content_invalid";
  return { ...base, outcome: "nonconformant", checks, failure: { class: failureClass } };
}

/** Text key of a failure for counts: `content_invalid/schema_violation`, `network/timeout`, `value_check`. */
export function failureKey(failure: NonNullable<Sample["failure"]>): string {
  return failure.reason === undefined ? failure.class : `${failure.class}/${failure.reason}`;
}
