import { isRecord, numberAt, recordAt } from "../../json/record.ts";
import type { Usage } from "../../money/usage.ts";

/** `input_tokens` includes cached tokens, `output_tokens` includes reasoning. */
export function normaliseUsage(raw: unknown): Usage | undefined {
  if (!isRecord(raw)) return undefined;
  const total = numberAt(raw, "input_tokens");
  const inputDetails = recordAt(raw, "input_tokens_details");
  const cacheRead = numberAt(inputDetails, "cached_tokens");
  const cacheWrite = numberAt(inputDetails, "cache_write_tokens");
  const output = numberAt(raw, "output_tokens");
  const reasoning = numberAt(recordAt(raw, "output_tokens_details"), "reasoning_tokens");
  const parts = (cacheRead ?? 0) + (cacheWrite ?? 0);
  const consistent = (total === undefined || parts <= total) && (output === undefined || (reasoning ?? 0) <= output);
  return {
    input: { total, uncached: total === undefined ? undefined : Math.max(0, total - parts), cacheRead, cacheWrite },
    output: {
      total: output,
      text: output === undefined ? undefined : Math.max(0, output - (reasoning ?? 0)),
      reasoning,
    },
    reportedUsd: numberAt(raw, "cost"),
    estimated: false,
    ...(consistent ? {} : { inconsistent: true }),
    raw,
  };
}

/** Usage for a client of this dialect. Unknown figures are zero here: the official client types them as numbers. */
export function encodeUsage(usage: Usage | undefined): Record<string, unknown> | null {
  if (usage === undefined) return null;
  const input = usage.input.total ?? 0;
  const output = usage.output.total ?? 0;
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: usage.input.cacheRead ?? 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: usage.output.reasoning ?? 0 },
    total_tokens: input + output,
  };
}
