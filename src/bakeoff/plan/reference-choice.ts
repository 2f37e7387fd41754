/** The ceiling arm: a declared candidate named by the route, or the strongest by what was measured of it. */
import type { MeasuredCapability, Registry } from "../../registry/capability.ts";
import type { Candidate, Route, Rung } from "../../route/route.ts";
import { type Arm, referenceArm } from "./arm.ts";

export type ReferenceChoice =
  | { readonly type: "arm"; readonly arm: Arm; readonly by: "declared" | "probed" }
  | { readonly type: "none"; readonly reason: string };

/** `undefined` where no reference is asked for. `asked` overrides what the route declares. */
export function chooseReference(
  route: Route,
  registry: Registry,
  asked: string | undefined = route.bakeoff?.reference,
): ReferenceChoice | undefined {
  if (asked === undefined) return undefined;
  if (asked !== "auto") {
    const named = route.candidates.find(({ key }) => key === asked);
    if (named) return { type: "arm", arm: referenceArm(route, named), by: "declared" };
    return { type: "none", reason: `${asked} is no declared candidate of ${route.name}` };
  }
  const strongest = strongestProbed(route, registry);
  if (strongest) return { type: "arm", arm: referenceArm(route, strongest), by: "probed" };
  return {
    type: "none",
    reason: "no declared candidate has a probed conformance, so none is known to be the strongest (modelrig probe)",
  };
}

/** By the lower bound of the rung it would be asked on; of equals the one declared first. */
function strongestProbed(route: Route, registry: Registry): Candidate | undefined {
  let best: { readonly candidate: Candidate; readonly low: number } | undefined;
  for (const candidate of route.candidates) {
    const low = conformanceOf(registry.find(candidate.provider, candidate.model), route.output?.ladder);
    if (low !== undefined && (best === undefined || low > best.low)) best = { candidate, low };
  }
  return best?.candidate;
}

/** Probed conformance: the Wilson lower bound of the best rung that asks for JSON and that the route allows. */
function conformanceOf(
  measured: readonly MeasuredCapability[],
  ladder: readonly Rung[] | undefined,
): number | undefined {
  const lows = measured
    .filter(
      ({ capability, n }) => n > 0 && isAsking(capability) && (ladder === undefined || ladder.includes(capability)),
    )
    .map(({ low }) => low);
  return lows.length === 0 ? undefined : Math.max(...lows);
}

function isAsking(capability: MeasuredCapability["capability"]): capability is MeasuredCapability["capability"] & Rung {
  return capability === "native_strict" || capability === "json_object" || capability === "coached";
}
