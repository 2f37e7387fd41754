/** Starting a bake-off at the gateway: the common start, and what its workflow must find again at each step. */
import type { CallPorts } from "../../call/ports.ts";
import { err, failure, ok, type Result } from "../../failure/failure.ts";
import type { Registry } from "../../registry/capability.ts";
import type { Route } from "../../route/route.ts";
import { type BakeoffRequest, type InputSource, startBakeoff } from "../plan/start-bakeoff.ts";
import { uncallable } from "../plan/uncallable.ts";
import { lightInputs, MOST_SAMPLES } from "./hosted-batches.ts";
import type { HostedPlan } from "./hosted-plan.ts";

/** The key that asks, and what its gateway has to serve the bake-off with. */
interface HostedCaller extends Pick<HostedPlan, "key" | "digest"> {
  readonly org: string;
  readonly registry: Registry;
  readonly ports: CallPorts;
}

/**
 * Fails as `startBakeoff` does, and with `too_many_samples`, or `cannot_call` where nothing at this gateway can serve an
 * arm or the judge.
 */
export async function startHostedBakeoff(
  request: BakeoffRequest,
  route: Route,
  source: Omit<InputSource, "hold">,
  caller: HostedCaller,
): Promise<Result<{ readonly hosted: HostedPlan; readonly planned: number }>> {
  // Every eval case expects an output; how many do decides what quality is measured by.
  const hold: InputSource["hold"] = (drawn) =>
    lightInputs({ inputs: [...drawn] }).map((input) => ({ ...input, golden: true }));
  const started = await startBakeoff(request, route, { ...source, hold }, caller);
  if (!started.ok) return started;
  const { journal, plan, drawn } = started.value;
  const planned = drawn.length * plan.arms.length;
  if (planned > MOST_SAMPLES) {
    const most = Math.floor(MOST_SAMPLES / plan.arms.length);
    const message = `${planned} samples are too many at once: take at most the last ${most}`;
    return err(failure("bad_request", message, { code: "too_many_samples", param: "last" }));
  }
  const missing = uncallable(plan, caller.ports);
  if (missing) {
    const message = `${missing.arm ?? "the judge"} cannot be called: ${missing.why}`;
    return err(failure("bad_request", message, { code: "cannot_call", param: "variants" }));
  }
  const { key, digest } = caller;
  return ok({ hosted: { journal, inputs: [...drawn], metric: plan.metric, key, digest, from: 0 }, planned });
}
