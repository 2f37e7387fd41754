import type { GradesFile } from "../../bakeoff/judge/human-grades.ts";

/** What a page tells its script, as JSON within it. */
export interface PageFacts {
  readonly bakeoff: string;
  readonly route: string;
  /** The measured score from which an output counts as good. */
  readonly pass: number;
  /** A person's score from which an output counts as good. */
  readonly good: number;
  readonly metric: string;
  readonly sides: readonly PageSide[];
  /** Grades that were given before. */
  readonly given?: Pick<GradesFile, "grader" | "grades"> | undefined;
  /** Where grades are sent as they are given; absent = they are saved as a file. */
  readonly server?: { readonly path: string; readonly token: string } | undefined;
}

/** A side of the page that can be graded: each output once, however many pairs it stands in. */
export interface PageSide {
  readonly input: string;
  readonly arm: string;
  readonly inference?: string | undefined;
  /** By the report's metric. */
  readonly score?: number | undefined;
}
