import type { ModelCapabilities } from "../provider/provider.ts";
import type { Predicate } from "../route/route.ts";
import type { MeasuredCapability } from "./capability.ts";

/** Share of probes a model must pass for a capability to count. */
export const SUPPORTED_FROM = 0.9;

/**
 * Returns whether a model has a capability: true or false where the whole Wilson interval lies on one side of {@link
 * SUPPORTED_FROM}, `undefined` where the probes do not decide. A yes needs about 35 probes, all passed.
 */
export function supported({ low, high }: Pick<MeasuredCapability, "low" | "high">): boolean | undefined {
  if (low >= SUPPORTED_FROM) return true;
  return high < SUPPORTED_FROM ? false : undefined;
}

/** Returns the decided capabilities in the shape of declared ones, to be merged over them. */
export function measuredCapabilities(measured: readonly MeasuredCapability[]): ModelCapabilities {
  const found: { -readonly [K in keyof ModelCapabilities]: ModelCapabilities[K] } = {};
  for (const entry of measured) {
    const { capability } = entry;
    if (capability === "coached" || capability === "caching" || capability === "context") continue;
    const verdict = supported(entry);
    if (verdict !== undefined) found[capability] = verdict;
  }
  return found;
}

/**
 * Returns whether a candidate meets a word of a route's `require`. An unknown capability does not meet it, because a
 * predicate is a promise to the caller. `schema_conformant` holds for a rung that the provider enforces, or for a
 * coached rung that was measured.
 */
export function satisfies(
  predicate: Predicate,
  capabilities: ModelCapabilities,
  measured: readonly MeasuredCapability[],
): boolean {
  switch (predicate) {
    case "schema_conformant":
      return (
        capabilities.native_strict === true ||
        capabilities.json_object === true ||
        measured.some((entry) => entry.capability === "coached" && entry.low >= SUPPORTED_FROM)
      );
    case "grounded":
      return capabilities.grounding === true;
    case "trace_visible":
      return capabilities.trace_visible === true;
    case "zdr":
      return capabilities.zdr === true;
  }
}
