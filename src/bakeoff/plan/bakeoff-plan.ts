import type { ReplayInput } from "../../replay/replay-input.ts";
import type { Route } from "../../route/route.ts";
import type { QualityMetric, Sample } from "../execution/sample.ts";
import type { JudgeChoice } from "../judge/judge-choice.ts";
import type { JudgeVerdict } from "../judge/judge-verdict.ts";
import type { PlantedVerdict } from "../judge/planted-pair.ts";
import type { Arm } from "./arm.ts";
import type { BakeoffLimits } from "./bakeoff-envelopes.ts";
import type { ReferenceChoice } from "./reference-choice.ts";

/** All that a run needs to know before its first call. */
export interface BakeoffPlan extends BakeoffLimits {
  readonly id: string;
  readonly org: string;
  readonly route: Route;
  /** The reference arm among them where there is one. */
  readonly arms: readonly Arm[];
  readonly inputs: readonly ReplayInput[];
  /** How they were drawn, and whether that favours no outcome. */
  readonly sampling: { readonly representative: boolean; readonly text: string };
  /** Calls in flight. */
  readonly concurrency: number;
  /** Calls in flight to the first provider of an arm. Absent = `concurrency`. */
  readonly perProvider?: number | undefined;
  /** How quality is measured; absent = nothing can grade these outputs. */
  readonly metric?: QualityMetric | undefined;
  /** Absent = the route asks for none. */
  readonly reference?: ReferenceChoice | undefined;
  readonly judge?: JudgeChoice | undefined;
  /** Samples of an earlier, interrupted run of the same plan: kept, not paid again. */
  readonly done: readonly Sample[];
  readonly doneVerdicts?: readonly JudgeVerdict[] | undefined;
  readonly donePlanted?: readonly PlantedVerdict[] | undefined;
}
