/** Starting a bake-off, the same on this machine and at the gateway: inputs are drawn, arms resolved, the plan made. */
import { err, type Failure, failure, ok, type Result } from "../../failure/failure.ts";
import type { Registry } from "../../registry/capability.ts";
import { type DrawnInput, drawInputs, drawText, type Sampling } from "../../replay/draw-inputs.ts";
import type { RecordedInput } from "../../replay/recorded-input.ts";
import { repeated } from "../../replay/repeats.ts";
import type { ReplayInput } from "../../replay/replay-input.ts";
import { variantNames } from "../../route/narrow.ts";
import type { Route } from "../../route/route.ts";
import type { BakeoffPlan } from "./bakeoff-plan.ts";
import { distinctVariants } from "./distinct-variants.ts";
import type { JournalPlan } from "./journal-plan.ts";
import { chooseReference } from "./reference-choice.ts";
import { planOf, referenceKept } from "./resolve-plan.ts";

/** What the command line or the endpoint asks for, every default filled in. */
export interface BakeoffRequest
  extends Pick<
    JournalPlan,
    | "id"
    | "seed"
    | "incumbent"
    | "objective"
    | "budget_nano"
    | "total_nano"
    | "judge_day_nano"
    | "concurrency"
    | "per_provider"
    | "keep_outputs"
    | "proposal"
    | "started_at"
  > {
  /** Absent = all of the route. */
  readonly variants?: readonly string[] | undefined;
  /** `auto`, `none` or a candidate, in the place of what the route declares. */
  readonly reference?: string | undefined;
  readonly sampling: Sampling;
  /** How often each question is asked. */
  readonly repeats: number;
}

/** Where inputs come from and stay. */
export interface InputSource {
  /** Newest first. */
  readonly calls: AsyncIterable<RecordedInput>;
  /** What they are, in words: `eval cases of triage`. */
  readonly what: string;
  /** Fetches what was drawn for as long as the bake-off may run; the payloads may stay away until they are sent. */
  readonly hold: (drawn: readonly DrawnInput[]) => readonly ReplayInput[];
}

interface StartedBakeoff {
  readonly journal: JournalPlan;
  readonly plan: BakeoffPlan;
  readonly drawn: readonly DrawnInput[];
}

/**
 * Decides everything that a run, and each resumption of it, goes by. Nothing is sent. Fails with code `no_inputs`,
 * `no_reference` (one was asked for by name) or `invalid_variant`, all `bad_request`.
 */
export async function startBakeoff(
  request: BakeoffRequest,
  route: Route,
  source: InputSource,
  host: { readonly org: string; readonly registry: Registry },
): Promise<Result<StartedBakeoff>> {
  const { variants, reference: asked, sampling, repeats, ...kept } = request;
  const wanted = asked === "none" ? undefined : (asked ?? route.bakeoff?.reference);
  const reference = chooseReference(route, host.registry, wanted);
  if (asked !== undefined && reference?.type === "none")
    return err(failure("bad_request", reference.reason, { code: "no_reference", param: "reference" }));
  const distinct = await distinctVariants(route, variants ?? variantNames(route), kept.incumbent);
  if (!distinct.ok) return err(invalidVariant(distinct.error.message));
  const { same } = distinct.value;
  if (Object.keys(same).length > 0 && distinct.value.variants.every((name) => name === kept.incumbent))
    return err(invalidVariant(`there is nothing to compare: ${sameText(same)}`));
  const draw = await drawInputs(source.calls, sampling);
  if (draw.inputs.length === 0)
    return err(failure("bad_request", `there are no ${source.what} to replay`, { code: "no_inputs" }));
  const journal: JournalPlan = {
    ...kept,
    route: route.name,
    route_hash: route.hash,
    variants: [...distinct.value.variants],
    ...(Object.keys(same).length > 0 && { same }),
    reference: referenceKept(reference),
    asked: sampling.last,
    sampling: drawText(draw, sampling, source.what, repeats),
    representative: !sampling.failuresFirst,
  };
  const drawn = repeated(draw.inputs, repeats);
  const plan = planOf(journal, route, { org: host.org, inputs: source.hold(drawn), done: [] });
  if (!plan.ok) return err(invalidVariant(plan.error.message));
  return ok({ journal, plan: plan.value, drawn });
}

/** `cheap serves the same as default`. */
export function sameText(same: Readonly<Record<string, string>>): string {
  return Object.entries(same)
    .map(([variant, as]) => `${variant} serves the same as ${as}`)
    .join(", ");
}

function invalidVariant(message: string): Failure {
  return failure("bad_request", message, { code: "invalid_variant", param: "variants" });
}
