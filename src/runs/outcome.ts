/**
 * `run-outcome@v1`: whether a run achieved its purpose. Specified in docs/runs.md; a change of the rule is a new
 * version. Every part of it is independent of the order of its inputs.
 */
import { type Grade, type GradeKind, latestPerGrader } from "./grade.ts";
import type { Run, RunStep } from "./run.ts";

export const RUN_OUTCOME_RULE = "run-outcome@v1";

/** Lowest score of a passing grade. */
const PASSING_SCORE = 0.5;

export const OUTCOMES = ["pass", "fail", "unknown"] as const;
type Outcome = (typeof OUTCOMES)[number];

/** What decided: a grade on the run of that kind, the end of a step, or the status reported at its end. */
export const OUTCOME_BASES = ["human", "deterministic", "model", "steps", "status", "none"] as const;
type OutcomeBasis = (typeof OUTCOME_BASES)[number];

export interface RunOutcome {
  readonly outcome: Outcome;
  readonly basis: OutcomeBasis;
  /** Most frequent class among the failed steps; only of a failed run, and only where a step failed. */
  readonly failureClass?: string | undefined;
}

export interface OutcomeEvidence {
  readonly run: Pick<Run, "status" | "declared">;
  readonly steps: readonly Pick<RunStep, "step" | "inferences" | "failed" | "endedAt" | "lastFailure">[];
  /** Grades of the run itself, by its id or its episode key, superseded ones included. */
  readonly grades: readonly Grade[];
}

export function runOutcome({ run, steps, grades }: OutcomeEvidence): RunOutcome {
  const verdicts = verdictsByKind(grades);
  const broken = steps.filter(endedInFailure);
  const decided = decide(run, broken.length > 0, steps.length > 0, verdicts);
  return decided.outcome === "fail" ? { ...decided, failureClass: dominantClass(broken) } : decided;
}

function decide(
  { status, declared }: OutcomeEvidence["run"],
  stepBroke: boolean,
  hasSteps: boolean,
  verdicts: ReadonlyMap<GradeKind, Outcome>,
): RunOutcome {
  const graded = (kind: GradeKind): RunOutcome | undefined => {
    const outcome = verdicts.get(kind);
    return outcome && { outcome, basis: kind };
  };
  const human = graded("human");
  if (human) return human;
  if (status === "failed") return { outcome: "fail", basis: "status" };
  const judged = graded("deterministic") ?? graded("model");
  if (judged) return judged;
  if (status === "canceled") return { outcome: "unknown", basis: "status" };
  // A failed step may still be tried again, and a run that was never started is never ended.
  if (status === "running" && declared) return { outcome: "unknown", basis: "status" };
  if (stepBroke) return { outcome: "fail", basis: "steps" };
  if (status === "succeeded") return { outcome: "pass", basis: "status" };
  return hasSteps ? { outcome: "pass", basis: "steps" } : { outcome: "unknown", basis: "none" };
}

/** Per kind of grader: failed where the latest grade of any of its graders fails. */
function verdictsByKind(grades: readonly Grade[]): ReadonlyMap<GradeKind, Outcome> {
  const verdicts = new Map<GradeKind, Outcome>();
  for (const { kind, score } of latestPerGrader(grades, () => "the run")) {
    if (score < PASSING_SCORE) verdicts.set(kind, "fail");
    else if (!verdicts.has(kind)) verdicts.set(kind, "pass");
  }
  return verdicts;
}

/**
 * The call that began last determines how a step ended: a step that was tried again and served has not failed. Calls
 * without a step cannot be told apart, so they failed only where every one did. A canceled call does not count.
 */
function endedInFailure({ step, inferences, failed, lastFailure }: OutcomeEvidence["steps"][number]): boolean {
  if (lastFailure === undefined || lastFailure === "canceled") return false;
  return step !== null || failed === inferences;
}

function dominantClass(broken: OutcomeEvidence["steps"]): string | undefined {
  const counts = new Map<string, { readonly steps: number; readonly lastAt: number }>();
  for (const { lastFailure = "", endedAt } of broken) {
    const seen = counts.get(lastFailure);
    counts.set(lastFailure, { steps: (seen?.steps ?? 0) + 1, lastAt: Math.max(seen?.lastAt ?? 0, endedAt) });
  }
  // The reported status decides where count and time do not.
  const [first] = [...counts].sort(([a, x], [b, y]) => y.steps - x.steps || y.lastAt - x.lastAt || (a < b ? -1 : 1));
  return first?.[0];
}
