import type { Usage } from "../../money/usage.ts";

/**
 * Usage for a client of this dialect: `input_tokens` leaves cached tokens out. Every member that the official client
 * types is there; null where it is not known.
 */
export function encodeUsage(usage: Usage | undefined, servedTier?: string): Record<string, unknown> {
  const { total, uncached, cacheRead, cacheWrite, cacheWrite1h } = usage?.input ?? {};
  const cached = (cacheRead ?? 0) + (cacheWrite ?? 0);
  return {
    input_tokens: uncached ?? (total === undefined ? 0 : Math.max(0, total - cached)),
    cache_creation:
      cacheWrite === undefined
        ? null
        : {
            ephemeral_5m_input_tokens: cacheWrite - (cacheWrite1h ?? 0),
            ephemeral_1h_input_tokens: cacheWrite1h ?? 0,
          },
    cache_creation_input_tokens: cacheWrite ?? null,
    cache_read_input_tokens: cacheRead ?? null,
    inference_geo: null,
    output_tokens: usage?.output.total ?? 0,
    output_tokens_details: { thinking_tokens: usage?.output.reasoning ?? 0 },
    server_tool_use: usage?.searches ? { web_search_requests: usage.searches, web_fetch_requests: 0 } : null,
    service_tier: TIERS[servedTier ?? ""] ?? null,
    speed: null,
  };
}

/** Tiers of this dialect, by the word of any provider. */
const TIERS: Readonly<Record<string, string>> = {
  default: "standard",
  standard: "standard",
  priority: "priority",
  fast: "priority",
  batch: "batch",
};

/** The members of the last event of a stream, which repeats only counts. */
export function encodeFinalUsage(usage: Usage | undefined): Record<string, unknown> {
  const { cache_creation, inference_geo, service_tier, speed, ...counts } = encodeUsage(usage);
  return counts;
}
