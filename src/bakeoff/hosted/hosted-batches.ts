/** How a hosted bake-off is planned again at each step, and cut into batches. */
import { err, failure, type Result } from "../../failure/failure.ts";
import type { ReplayInput } from "../../replay/replay-input.ts";
import type { ReplayPayload } from "../../replay/replay-payload.ts";
import type { Route } from "../../route/route.ts";
import { seededRandom } from "../../stats/random.ts";
import type { BakeoffPlan } from "../plan/bakeoff-plan.ts";
import { planOf } from "../plan/resolve-plan.ts";
import { schedule } from "../plan/schedule.ts";
import type { HostedPlan } from "./hosted-plan.ts";

/** Samples asked for between two steps of the workflow: what a step may at most have to look up again. */
const MOST_SAMPLES_PER_BATCH = 24;
/** Within the report's and the database's means; the calls themselves are bounded by money. */
export const MOST_SAMPLES = 5_000;

/** Inputs whose payload is not there; for all that is asked of them but to be sent. */
export function lightInputs({ inputs }: Pick<HostedPlan, "inputs">): ReplayInput[] {
  return inputs.map(({ kind, ...input }) => ({ ...input, payload: EMPTY_PAYLOADS[kind] }));
}

const EMPTY_PAYLOADS: Readonly<Record<ReplayPayload["kind"], ReplayPayload>> = {
  variables: { kind: "variables", variables: {} },
  messages: { kind: "messages", request: {} },
};

/** The plan over all inputs, without their payloads. */
export function hostedPlanOf(
  hosted: HostedPlan,
  route: Route | undefined,
  org: string,
  rest: Partial<Pick<BakeoffPlan, "inputs" | "done">> = {},
): Result<BakeoffPlan> {
  const name = hosted.journal.route;
  if (!route) return err(failure("bad_request", `the route ${name} is gone`, { code: "route_changed" }));
  const plan = planOf(hosted.journal, route, { org, inputs: lightInputs(hosted), done: [], ...rest });
  return plan.ok ? { ok: true, value: { ...plan.value, metric: hosted.metric } } : plan;
}

/** Ids of the inputs of each batch: whole inputs, in the order the seed gives, so that one cut short covers a random part. */
export function batchesOf({ inputs, arms }: Pick<BakeoffPlan, "inputs" | "arms">, seed: number): string[][] {
  const order = [...new Set(schedule(inputs, arms, seededRandom(seed)).map(({ input }) => input.id))];
  const size = Math.max(1, Math.floor(MOST_SAMPLES_PER_BATCH / arms.length));
  return Array.from({ length: Math.ceil(order.length / size) }, (_, index) =>
    order.slice(index * size, (index + 1) * size),
  );
}
