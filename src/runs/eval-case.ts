/** A golden: an input with the output expected for it. */
import type { ReplayPayload } from "../bakeoff/replay-input.ts";

export const EVAL_CASE_ORIGINS = ["artifact", "capture", "manual"] as const;
export type EvalCaseOrigin = (typeof EVAL_CASE_ORIGINS)[number];

export interface EvalCase {
  readonly id: string;
  /** Equals a route's name where a bake-off is to find its variants. */
  readonly task: string;
  readonly input: ReplayPayload;
  /** Any JSON value. */
  readonly expected: unknown;
  readonly corrected: boolean;
  readonly origin: EvalCaseOrigin;
  readonly artifact?: string | undefined;
  readonly run?: string | undefined;
  readonly createdAt: number;
  readonly archivedAt?: number | undefined;
}
