/** `rig.grade`: a judgment from 0 to 1 on a call, a run or an artifact. */

export interface GradeSubject {
  readonly kind: "inference" | "run" | "artifact";
  /** `meta.inferenceId`; `runId` or the run's `episodeKey`; the artifact's `id`. */
  readonly id: string;
}

export interface GradeOptions {
  /** 1 = good, 0 = bad. */
  readonly score: number;
  readonly kind: "human" | "deterministic" | "model";
  /** Who or what judged; of each grader on a subject the latest grade counts. Default `unnamed`. */
  readonly grader?: string | undefined;
  readonly comment?: string | undefined;
}
