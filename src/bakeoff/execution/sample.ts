import type { FailureClass, FailureReason } from "../../failure/failure.ts";
import type { NanoUsd } from "../../money/nano-usd.ts";
import type { ServiceTier } from "../../money/price.ts";
import type { Usage } from "../../money/usage.ts";
import type { ServedRung } from "../../route/route.ts";

/**
 * `ungraded`: an answer came and the route declares no schema to hold it against. `failed`: no answer to grade.
 * `refused`: the arm's envelope could not take it, so it was not sent.
 */
type SampleOutcome = "conformant" | "nonconformant" | "ungraded" | "failed" | "refused";

/** How quality was measured, best evidence first. A report names the one it used, and counts only its scores. */
export const QUALITY_METRICS = ["golden", "value_accuracy", "judge", "conformance"] as const;
export type QualityMetric = (typeof QUALITY_METRICS)[number];

/** One request of a sample that went upstream, with what it is priced by. */
export interface SentBill {
  readonly provider: string;
  readonly model: string;
  readonly tier: ServiceTier;
  /** Absent = not reported. */
  readonly usage?: Usage | undefined;
  /** As billed. Absent = unknown. */
  readonly cost?: NanoUsd | undefined;
}

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
  /** One for each request, from which all samples are priced alike at the end. Absent = not kept. */
  readonly bills?: readonly SentBill[] | undefined;
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

/** Text key of a failure for counts: `content_invalid/schema_violation`, `network/timeout`, `value_check`. */
export function failureKey(failure: NonNullable<Sample["failure"]>): string {
  return failure.reason === undefined ? failure.class : `${failure.class}/${failure.reason}`;
}
