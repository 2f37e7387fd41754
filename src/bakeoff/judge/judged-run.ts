import type { Examination } from "./examination.ts";
import type { JudgeVerdict } from "./judge-verdict.ts";
import type { PlantedVerdict } from "./planted-pair.ts";

/** What came of judging. */
export interface JudgedRun {
  readonly verdicts: readonly JudgeVerdict[];
  readonly planted: readonly PlantedVerdict[];
  /** What examinations and people's grades of this judge hold for. */
  readonly subject: string;
  /** Absent where none could be made. */
  readonly examination?: Examination | undefined;
  /** Why no verdict follows from the judge. */
  readonly unusable?: string | undefined;
}
