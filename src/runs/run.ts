/** One execution of a pipeline, as its callers report it. */
import { z } from "zod";
import { identifier, instant, label, tags } from "../intake/fields.ts";

export const RUN_STATUSES = ["running", "succeeded", "failed", "canceled"] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

export const runStart = z.strictObject({
  id: identifier,
  pipeline: label,
  episodeKey: label.optional(),
  environment: label.optional(),
  subject: label.optional(),
  feature: label.optional(),
  tags: tags.optional(),
  startedAt: instant,
});

export const runEnd = z.strictObject({
  id: identifier,
  status: z.enum(["succeeded", "failed", "canceled"]),
  endedAt: instant,
});

export type RunStart = z.infer<typeof runStart>;
export type RunEnd = z.infer<typeof runEnd>;

/** A run as stored. Absent = unknown or not reported. */
export interface Run {
  readonly id: string;
  /** False = known only from calls, artifacts or an end that name it; it was never started. */
  readonly declared: boolean;
  readonly pipeline?: string | undefined;
  readonly episodeKey?: string | undefined;
  readonly environment?: string | undefined;
  readonly subject?: string | undefined;
  readonly feature?: string | undefined;
  readonly tags: Readonly<Record<string, string>>;
  readonly status: RunStatus;
  readonly startedAt: number;
  readonly endedAt?: number | undefined;
}

/**
 * A named stage of a run: the sum of its inferences, or the facts of its artifacts where no call was reported. Times in
 * epoch or elapsed milliseconds; `null` = not reported, never 0.
 */
export interface RunStep {
  /** `null` = calls that name no step. */
  readonly step: string | null;
  readonly inferences: number;
  readonly attempts: number;
  readonly failed: number;
  readonly startedAt: number;
  /** End of the last one to end. */
  readonly endedAt: number;
  /** Summed over the inferences: parallel calls count each. */
  readonly latencyMs: number | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  /** Sum of the known costs; `null` where none is known. */
  readonly costNano: bigint | null;
  /** Inferences whose cost is unknown. */
  readonly unpriced: number;
  readonly simulated: boolean;
  /** Failure class of the inference that began last; `undefined` = it succeeded. */
  readonly lastFailure?: string | undefined;
}
