/** Returns a variant of a route: its part of the declared set and its way of asking. A variant only narrows. */
import { err, failure, ok, type Result } from "../failure/failure.ts";
import { mergeParams } from "./params.ts";
import type { Candidate, OutputContract, Route, Template } from "./route.ts";

/** Name of the route as declared. */
export const DEFAULT_VARIANT = "default";

export interface NarrowedRoute {
  readonly route: Route;
  readonly variant: string;
  /** In ladder order; a subset of the route's, with the variant's params merged in. */
  readonly candidates: readonly Candidate[];
  readonly template?: Template | undefined;
  /** The route's schema with the variant's ladder. */
  readonly output?: OutputContract | undefined;
}

export function variantNames(route: Route): string[] {
  return [DEFAULT_VARIANT, ...route.variants.map((variant) => variant.name)];
}

/** An unknown variant is the caller's fault (`bad_request`); the message names the valid ones. */
export function narrow(route: Route, variantName: string = DEFAULT_VARIANT): Result<NarrowedRoute> {
  if (variantName === DEFAULT_VARIANT) {
    const { candidates, template, output } = route;
    return ok({ route, variant: DEFAULT_VARIANT, candidates, template, output });
  }
  const variant = route.variants.find(({ name }) => name === variantName);
  if (!variant) {
    const message = `route ${route.name} has no variant ${variantName}; it has ${variantNames(route).join(", ")}`;
    return err(failure("bad_request", message, { param: "variant" }));
  }
  const reasoning = variant.reasoning ? { reasoning: variant.reasoning } : undefined;
  const declared = new Map(route.candidates.map((candidate) => [candidate.key, candidate]));
  const kept = (variant.candidates ?? route.candidates).flatMap((chosen) => {
    const own = declared.get(chosen.key);
    // A compiled bundle that was tampered with must not widen the declared set either.
    if (!own) return [];
    return [
      { ...own, trial: own.trial || chosen.trial, params: mergeParams(chosen.params, variant.params, reasoning) },
    ];
  });
  return ok({
    route,
    variant: variant.name,
    candidates: kept,
    template: variant.template ?? route.template,
    output: route.output && { schema: route.output.schema, ladder: variant.ladder ?? route.output.ladder },
  });
}
