import { ok, type Result } from "../../failure/failure.ts";
import { DEFAULT_VARIANT, type NarrowedRoute, narrow } from "../../route/narrow.ts";
import type { Candidate, Route } from "../../route/route.ts";

/**
 * One arm of a bake-off. The incumbent serves the route today; challengers are measured against it; the reference is
 * the ceiling that quality regret is measured against, and cannot be proposed.
 */
export interface Arm {
  readonly name: string;
  readonly role: "incumbent" | "challenger" | "reference";
  readonly narrowed: NarrowedRoute;
}

/** The incumbent, then the asked variants in their order, each once. An unknown variant is `bad_request`. */
export function armsOf(route: Route, variants: readonly string[], incumbent: string): Result<readonly Arm[]> {
  const arms: Arm[] = [];
  for (const name of new Set([incumbent, ...variants])) {
    const narrowed = narrow(route, name);
    if (!narrowed.ok) return narrowed;
    const role = name === incumbent ? "incumbent" : "challenger";
    arms.push({ name, role, narrowed: asItWouldServe(narrowed.value) });
  }
  return ok(arms);
}

/** The route as declared, on this one candidate. No variant can have this name: theirs hold no slash. */
export function referenceArm(route: Route, candidate: Candidate): Arm {
  const { template, output } = route;
  const narrowed = { route, variant: DEFAULT_VARIANT, candidates: [candidate], template, output };
  return { name: `reference:${candidate.key}`.slice(0, 128), role: "reference", narrowed };
}

/**
 * A variant that picks no candidates of its own serves from the live ones: a trial candidate, which live calls never
 * reach, must not catch what falls through in its replay.
 */
function asItWouldServe(narrowed: NarrowedRoute): NarrowedRoute {
  const own = narrowed.route.variants.find(({ name }) => name === narrowed.variant)?.candidates;
  return own ? narrowed : { ...narrowed, candidates: narrowed.candidates.filter(({ trial }) => !trial) };
}
