import type { Failure } from "../failure/failure.ts";
import type { NanoUsd } from "../money/nano-usd.ts";
import type { ServiceTier } from "../money/price.ts";
import type { Usage } from "../money/usage.ts";
import type { Lane } from "../record/lane.ts";
import type { ServedRung } from "../route/route.ts";
import type { FinishReason } from "../wire/chat.ts";
import type { DroppedField } from "../wire/dialect.ts";

/** One upstream request to one candidate on one rung. Times are epoch or elapsed milliseconds. */
export interface Attempt {
  readonly id: string;
  readonly index: number;
  readonly provider: string;
  readonly model: string;
  readonly rung: ServedRung;
  readonly startedAt: number;
  readonly latencyMs: number;
  /** Time to the first byte of a non-stream answer, to the first content of a stream. */
  readonly firstByteMs?: number | undefined;
  readonly status?: number | undefined;
  readonly failure?: Failure | undefined;
  readonly finish?: FinishReason | undefined;
  readonly usage?: Usage | undefined;
  /** Absent = unknown. */
  readonly cost?: NanoUsd | undefined;
  /**
   * Amount that envelopes hold in place of an unknown bill. Absent where the cost is known or no limit covered the
   * call.
   */
  readonly reserved?: NanoUsd | undefined;
  readonly costEstimated: boolean;
  readonly servedTier: ServiceTier;
  readonly priceVersion?: string | undefined;
  readonly dropped: readonly DroppedField[];
}

/** A candidate that was skipped, and why. */
export interface Skip {
  readonly candidate: string;
  readonly why:
    | "predicate"
    | "breaker_open"
    | "trial"
    | "context_window"
    | "capability"
    | "unknown_provider"
    | "missing_key"
    | "sim_disabled"
    | "silent_before"
    | "failed_before";
  readonly detail: string;
}

/** One logical call: all its attempts, its final result, its total cost. Contains no prompt or output text. */
export interface Inference {
  readonly id: string;
  readonly org: string;
  readonly keyId?: string | undefined;
  readonly route?: string | undefined;
  readonly routeHash?: string | undefined;
  readonly variant?: string | undefined;
  readonly arm?: string | undefined;
  readonly lane: Lane;
  readonly stream: boolean;
  readonly startedAt: number;
  readonly latencyMs: number;
  readonly firstByteMs?: number | undefined;
  readonly served?: { readonly provider: string; readonly model: string } | undefined;
  readonly rung?: ServedRung | undefined;
  readonly failure?: Failure | undefined;
  readonly finish?: FinishReason | undefined;
  /** The output passed the schema that governed the call; absent where none did. */
  readonly conformant?: boolean | undefined;
  readonly attempts: readonly Attempt[];
  readonly skipped: readonly Skip[];
  /** Sum over attempts, failed ones included; absent when any attempt's cost is unknown. */
  readonly cost?: NanoUsd | undefined;
  readonly costEstimated: boolean;
  readonly tags: Readonly<Record<string, string>>;
  readonly run?: string | undefined;
  readonly step?: string | undefined;
  /** Served by the simulated provider. */
  readonly simulated: boolean;
}

/** False for an attempt that a limit, or the gateway's own encoder, refused before anything was sent. */
export function wasSent({ failure, status }: Attempt): boolean {
  return status !== undefined || (failure?.class !== "budget_exhausted" && failure?.class !== "bad_request");
}
