/** From what was decided when a bake-off began to all that a run of it needs, however often it is resumed. */
import { err, failure, ok, type Result } from "../../failure/failure.ts";
import { DEFAULT_LAMBDA } from "../../route/defaults.ts";
import type { ObjectiveMode, Route } from "../../route/route.ts";
import { metricOf } from "../execution/quality.ts";
import { chooseJudge } from "../judge/judge-choice.ts";
import { MOST_ARMS } from "../report/report-fields.ts";
import { type Arm, armsOf } from "./arm.ts";
import type { BakeoffLimits } from "./bakeoff-envelopes.ts";
import type { BakeoffPlan } from "./bakeoff-plan.ts";
import type { JournalPlan } from "./journal-plan.ts";
import { chooseReference, type ReferenceChoice } from "./reference-choice.ts";

/** Fails with code `route_changed` where the route is another version by now, and for a variant that there is not. */
export function planOf(
  journal: JournalPlan,
  declared: Route,
  rest: Pick<BakeoffPlan, "org" | "inputs" | "done" | "doneVerdicts" | "donePlanted">,
): Result<BakeoffPlan> {
  if (declared.hash !== journal.route_hash) {
    const message = `${declared.name} has changed since this bake-off began`;
    return err(failure("bad_request", message, { code: "route_changed" }));
  }
  const route = judgedBy(declared, journal.objective);
  const reference = referenceAgain(route, journal);
  const arms = armsNamed(route, journal, reference);
  if (!arms.ok) return arms;
  const judge = chooseJudge(route, arms.value);
  return ok({
    id: journal.id,
    route,
    arms: arms.value,
    ...limitsOf(route, journal),
    sampling: { representative: journal.representative, text: journal.sampling.slice(0, 600) },
    concurrency: journal.concurrency,
    perProvider: journal.per_provider,
    metric: metricOf(route, rest.inputs, judge),
    reference,
    judge,
    ...rest,
  });
}

/** The choice as the journal keeps it, so that resuming does not choose anew. */
export function referenceKept(choice: ReferenceChoice | undefined): JournalPlan["reference"] {
  if (choice?.type === "arm") {
    const [candidate] = choice.arm.narrowed.candidates;
    return candidate && { candidate: candidate.key, by: choice.by };
  }
  return choice && { none: choice.reason };
}

function referenceAgain(route: Route, { reference }: JournalPlan): ReferenceChoice | undefined {
  if (!reference) return undefined;
  if ("none" in reference) return { type: "none", reason: reference.none };
  const again = chooseReference(route, { find: () => [] }, reference.candidate);
  return again?.type === "arm" ? { ...again, by: reference.by } : again;
}

function armsNamed(
  route: Route,
  { variants, incumbent }: JournalPlan,
  reference: ReferenceChoice | undefined,
): Result<readonly Arm[]> {
  const arms = armsOf(route, variants, incumbent);
  if (!arms.ok) return arms;
  const all = reference?.type === "arm" ? [...arms.value, reference.arm] : arms.value;
  if (all.length <= MOST_ARMS) return ok(all);
  return err(failure("bad_request", `${all.length} arms are too many for one bake-off: at most ${MOST_ARMS}`));
}

function limitsOf(route: Route, journal: JournalPlan): BakeoffLimits {
  return {
    budgetPerArm: journal.budget_nano,
    referenceBudget: route.bakeoff?.referenceEnvelope,
    totalBudget: journal.total_nano,
    judgePerDay: journal.judge_day_nano,
  };
}

function judgedBy(route: Route, mode: ObjectiveMode | undefined): Route {
  if (mode === undefined) return route;
  return { ...route, objective: { lambda: DEFAULT_LAMBDA, ...route.objective, mode } };
}
