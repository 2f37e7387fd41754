import { isRecord, numberAt, recordAt } from "../../json/record.ts";
import type { Usage } from "../../money/usage.ts";

/**
 * Anthropic's `input_tokens` leaves cached tokens out, so the total is a sum. In streams the figures are cumulative:
 * later ones replace earlier ones. Where `iterations` lists several passes (compaction, server-side fallback), the
 * top-level figures cover the last pass only and the passes are added up.
 */
export function normaliseUsage(raw: unknown): Usage | undefined {
  if (!isRecord(raw)) return undefined;
  const iterations = raw["iterations"];
  const passes = Array.isArray(iterations) && iterations.length > 0 ? iterations.filter(isRecord) : [raw];
  const sum = (key: string): number | undefined => {
    const figures = passes.map((pass) => numberAt(pass, key)).filter((figure) => figure !== undefined);
    return figures.length === 0 ? undefined : figures.reduce((total, figure) => total + figure, 0);
  };
  const uncached = sum("input_tokens");
  const cacheRead = sum("cache_read_input_tokens");
  const cacheWrite = sum("cache_creation_input_tokens");
  const writes = passes.map((pass) => recordAt(pass, "cache_creation"));
  const cacheWrite1h = writes.some((write) => write !== undefined)
    ? writes.reduce((total, write) => total + (numberAt(write, "ephemeral_1h_input_tokens") ?? 0), 0)
    : undefined;
  const output = sum("output_tokens");
  const reasoning = numberAt(recordAt(raw, "output_tokens_details"), "thinking_tokens");
  return {
    input: {
      total: uncached === undefined ? undefined : uncached + (cacheRead ?? 0) + (cacheWrite ?? 0),
      uncached,
      cacheRead,
      cacheWrite,
      cacheWrite1h,
    },
    output: { total: output, reasoning },
    searches: numberAt(recordAt(raw, "server_tool_use"), "web_search_requests"),
    estimated: false,
    raw,
  };
}
