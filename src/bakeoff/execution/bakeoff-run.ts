import type { JudgedRun } from "../judge/judged-run.ts";
import type { Sample } from "./sample.ts";

/** Why an arm has fewer samples than inputs; absent = it has them all. */
export const STOP_REASONS = ["budget", "unpriced", "interrupted"] as const;
export type StopReason = (typeof STOP_REASONS)[number];

/** What a run measured. */
export interface BakeoffRun {
  readonly samples: readonly Sample[];
  readonly stopped: ReadonlyMap<string, StopReason>;
  /** What the judge was asked and said; its costs are in no sample. Absent where none was asked. */
  readonly judged?: JudgedRun | undefined;
  /** Why the judge saw fewer pairs than planned. */
  readonly judgeStopped?: StopReason | undefined;
}
