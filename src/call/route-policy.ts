import type { NarrowedRoute } from "../route/narrow.ts";
import type { CallPolicy } from "./call.ts";

/** Returns the policy of a call through a route, as its bundle declares it. */
export function routePolicy(
  { route, candidates, output }: NarrowedRoute,
  options: Pick<CallPolicy, "allowTrial" | "stream">,
): CallPolicy {
  return {
    candidates,
    require: route.require,
    retry: route.retry,
    timeouts: route.timeouts,
    output: output && { ...output, name: schemaName(route.name) },
    onContentFilter: route.onContentFilter,
    allowUnpriced: route.allowUnpriced,
    serviceTier: route.serviceTier,
    ...options,
  };
}

/** Providers allow letters, digits, `_` and `-` in a schema's name, at most 64. */
function schemaName(word: string): string {
  return word.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 64);
}
