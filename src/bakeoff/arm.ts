import { ok, type Result } from "../failure/failure.ts";
import { type NarrowedRoute, narrow } from "../route/narrow.ts";
import type { Route } from "../route/route.ts";

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
    arms.push({ name, role: name === incumbent ? "incumbent" : "challenger", narrowed: narrowed.value });
  }
  return ok(arms);
}
