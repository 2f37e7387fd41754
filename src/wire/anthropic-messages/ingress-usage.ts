import type { Usage } from "../../money/usage.ts";

/** Usage for a client of this dialect: `input_tokens` leaves cached tokens out. */
export function encodeUsage(usage: Usage | undefined): Record<string, unknown> {
  const input = usage?.input;
  const cached = (input?.cacheRead ?? 0) + (input?.cacheWrite ?? 0);
  return {
    input_tokens: input?.uncached ?? (input?.total === undefined ? 0 : input.total - cached),
    cache_creation_input_tokens: input?.cacheWrite ?? null,
    cache_read_input_tokens: input?.cacheRead ?? null,
    output_tokens: usage?.output.total ?? 0,
  };
}
