import type { ModelCapabilities } from "../provider/provider.ts";
import type { Predicate } from "../route/route.ts";
import type { MeasuredCapability } from "./capability.ts";

/** A measured rung counts as supported when its Wilson lower bound reaches this share of conformant probes. */
export const SUPPORTED_FROM = 0.9;

/** What probes say, in the shape of declared capabilities, to be laid over them. */
export function measuredCapabilities(measured: readonly MeasuredCapability[]): ModelCapabilities {
  const found: { -readonly [K in keyof ModelCapabilities]: ModelCapabilities[K] } = {};
  for (const { capability, low } of measured) {
    if (capability === "native_strict" || capability === "tools" || capability === "grounding") {
      found[capability] = low >= SUPPORTED_FROM;
    }
  }
  return found;
}

/**
 * Whether a candidate meets a route's `require` word. Unknown is "no": a predicate is a promise to the caller.
 * `schema_conformant` holds for a rung the provider enforces, or a coached rung that was measured.
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
