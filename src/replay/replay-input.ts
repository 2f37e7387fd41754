import type { ReplayPayload } from "./replay-payload.ts";

/** One question to send through every arm of a bake-off. */
export interface ReplayInput {
  /** Of the recorded call or eval case it is sent as: the newest of those that asked it. */
  readonly id: string;
  /** Epoch milliseconds at which that call was recorded. */
  readonly at: number;
  readonly payload: ReplayPayload;
  /** What is asked, as `questionKey` names it: equal for repeats of one question, whenever they were recorded. */
  readonly question: string;
  /** How many recorded calls asked it: it is sent once and counts so often. Absent = 1. */
  readonly weight?: number | undefined;
  /** Run or customer: inputs that share one are not independent. Absent = it belongs to none. */
  readonly cluster?: string | undefined;
  /** Output expected for it, of an eval case. */
  readonly golden?: unknown;
}
