/** A golden: an input with the output expected for it. */
import { RUN_TAG } from "../replay/clusters.ts";
import { type RecordedInput, recordedInput } from "../replay/recorded-input.ts";
import type { ReplayPayload } from "../replay/replay-payload.ts";
import type { Route } from "../route/route.ts";

export const EVAL_CASE_ORIGINS = ["artifact", "capture", "manual"] as const;
export type EvalCaseOrigin = (typeof EVAL_CASE_ORIGINS)[number];

export interface EvalCase {
  readonly id: string;
  /** Must equal a route's name for a bake-off of that route to use the case. */
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

/** An eval case as a bake-off of this route uses it. */
export async function recordedCase(
  { id, createdAt, input, run }: Pick<EvalCase, "id" | "createdAt" | "input" | "run">,
  route: Route,
): Promise<RecordedInput> {
  const tags = run === undefined ? {} : { [RUN_TAG]: run };
  return await recordedInput({ id, at: createdAt, payload: input, tags }, route);
}
