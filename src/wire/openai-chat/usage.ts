/**
 * Usage objects of OpenAI-compatible providers → normalised usage, and back.
 * Providers agree on `prompt_tokens` and `completion_tokens`, not on what these leave out nor on where cached tokens are.
 */
import { isRecord, type JsonRecord, numberAt, recordAt } from "../../json/record.ts";
import type { Usage } from "../../money/usage.ts";
import type { Quirks } from "../dialect.ts";
import { leftToOutput, reportedUsd } from "../reported-usage.ts";

type UsageQuirks = Pick<Quirks, "outputExcludesReasoning" | "inputExcludesCached">;

/** Returns undefined where `raw` is no usage object. Contradictory figures are kept and flagged. */
export function normaliseUsage(raw: unknown, quirks: UsageQuirks): Usage | undefined {
  if (!isRecord(raw)) return undefined;
  const prompt = tokens(raw, "prompt_tokens") ?? tokens(raw, "input_tokens") ?? tokens(raw, "prompt_eval_count");
  const completion = tokens(raw, "completion_tokens") ?? tokens(raw, "output_tokens") ?? tokens(raw, "eval_count");
  const total = tokens(raw, "total_tokens");
  const details = recordAt(raw, "prompt_tokens_details") ?? recordAt(raw, "prompt_token_details");
  const outputDetails = recordAt(raw, "completion_tokens_details");
  const cacheRead = cachedTokens(raw, details);
  const cacheWrite = tokens(details, "cache_write_tokens") ?? tokens(raw, "cache_creation_input_tokens");
  const reasoning = tokens(outputDetails, "reasoning_tokens") ?? tokens(raw, "reasoning_tokens");

  const heard = tokens(details, "audio_tokens");
  const answered = withReasoning(completion, reasoning, prompt, total, quirks);
  const input = withLeftOut(prompt, (cacheRead ?? 0) + (cacheWrite ?? 0), heard ?? 0, answered, total, quirks);
  const output = leftToOutput(answered, input, total);
  const uncached = input === undefined ? undefined : input - (cacheRead ?? 0) - (cacheWrite ?? 0);
  const spoken = tokens(outputDetails, "audio_tokens");
  const drawn = tokens(outputDetails, "image_tokens");
  const inconsistent =
    (uncached !== undefined && uncached < 0) ||
    (output !== undefined && (reasoning ?? 0) > output) ||
    (total !== undefined && input !== undefined && output !== undefined && total !== input + output);
  return {
    input: {
      total: input,
      uncached: uncached !== undefined && uncached < 0 ? undefined : uncached,
      cacheRead,
      cacheWrite,
      audio: heard,
      image: tokens(details, "image_tokens"),
      video: tokens(details, "video_tokens"),
    },
    output: {
      total: output,
      text: output === undefined ? undefined : Math.max(0, output - (reasoning ?? 0) - (spoken ?? 0) - (drawn ?? 0)),
      reasoning,
      audio: spoken,
      image: drawn,
    },
    searches: tokens(raw, "num_search_queries") ?? tokens(recordAt(raw, "server_tool_use"), "web_search_requests"),
    reportedUsd: reportedUsd(raw),
    estimated: false,
    inconsistent: inconsistent || undefined,
    raw,
  };
}

/** OpenAI's own shape. `base` keeps a provider's further fields (cost, timings). Undefined where a figure is unknown. */
export function wireUsage(usage: Usage, base: JsonRecord = {}): Record<string, unknown> | undefined {
  const { input, output } = usage;
  if (input.total === undefined || output.total === undefined) return undefined;
  return {
    ...base,
    prompt_tokens: input.total,
    completion_tokens: output.total,
    total_tokens: input.total + output.total,
    prompt_tokens_details: {
      ...recordAt(base, "prompt_tokens_details"),
      ...defined({ cached_tokens: input.cacheRead, cache_write_tokens: input.cacheWrite, audio_tokens: input.audio }),
    },
    completion_tokens_details: {
      ...recordAt(base, "completion_tokens_details"),
      ...defined({ reasoning_tokens: output.reasoning, audio_tokens: output.audio }),
    },
  };
}

/** OpenAI and most; Mistral's second and third spelling; DeepSeek; Moonshot; proxies that keep Anthropic's word. */
function cachedTokens(raw: JsonRecord, details: JsonRecord | undefined): number | undefined {
  return (
    tokens(details, "cached_tokens") ??
    tokens(raw, "num_cached_tokens") ??
    tokens(raw, "prompt_cache_hit_tokens") ??
    tokens(raw, "cached_tokens") ??
    tokens(raw, "cache_read_input_tokens")
  );
}

/** The reported total shows whether the completion count excludes the reasoning. */
function withReasoning(
  completion: number | undefined,
  reasoning: number | undefined,
  prompt: number | undefined,
  total: number | undefined,
  quirks: UsageQuirks,
): number | undefined {
  if (completion === undefined || reasoning === undefined || reasoning === 0) return completion;
  if (reasoning > completion) return completion + reasoning;
  if (prompt !== undefined && total !== undefined) {
    if (total === prompt + completion) return completion;
    if (total === prompt + completion + reasoning) return completion + reasoning;
  }
  return quirks.outputExcludesReasoning ? completion + reasoning : completion;
}

/** The reported total shows whether the prompt count excludes cached or audio tokens (Mistral: audio tokens). */
function withLeftOut(
  prompt: number | undefined,
  cached: number,
  heard: number,
  output: number | undefined,
  total: number | undefined,
  quirks: UsageQuirks,
): number | undefined {
  if (prompt === undefined) return prompt;
  if (cached > prompt && quirks.inputExcludesCached) return prompt + cached;
  if (output !== undefined && total !== undefined) {
    const leftOut = [0, cached, heard, cached + heard].find((part) => total === prompt + part + output);
    if (leftOut !== undefined) return prompt + leftOut;
  }
  return quirks.inputExcludesCached ? prompt + cached : prompt;
}

/** A token count; anything else than a whole number from 0 up counts as not reported. */
function tokens(record: JsonRecord | undefined, key: string): number | undefined {
  const count = numberAt(record, key);
  return count !== undefined && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}

function defined(fields: Readonly<Record<string, number | undefined>>): Record<string, number> {
  const found: Record<string, number> = {};
  for (const [key, value] of Object.entries(fields)) if (value !== undefined) found[key] = value;
  return found;
}
