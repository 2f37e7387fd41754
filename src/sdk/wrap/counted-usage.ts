/** Usage as libraries over several providers count it. */
import type { Usage } from "../../money/usage.ts";
import type { DialectName } from "../../wire/chat.ts";
import { upstreamDialect } from "../../wire/dialects.ts";

/** Counts in the convention of OpenAI's Responses: input with what was cached, output with what was reasoning. */
interface ReportedCounts {
  readonly input: number | undefined;
  readonly output: number | undefined;
  readonly cacheRead?: number | undefined;
  readonly cacheWrite?: number | undefined;
  readonly reasoning?: number | undefined;
}

/** The provider's own usage object where its dialect is known and it can be read, else the counts. */
export function countedUsage(counts: ReportedCounts, provider: string, raw?: unknown): Usage | undefined {
  const target = { provider, model: "", quirks: {} };
  const own = DIALECT_OF[provider] ?? "openai-chat";
  const read = raw === undefined ? undefined : upstreamDialect(own).usageOf({ usage: raw, usageMetadata: raw }, target);
  if (read?.input.total !== undefined && read.output.total !== undefined) return read;
  const { input, output, cacheRead, cacheWrite, reasoning } = counts;
  if (input === undefined && output === undefined) return undefined;
  const usage = {
    ...{ input_tokens: input, output_tokens: output },
    input_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
    output_tokens_details: { reasoning_tokens: reasoning },
  };
  return upstreamDialect("openai-responses").usageOf({ usage }, target);
}

const DIALECT_OF: Readonly<Record<string, DialectName>> = { anthropic: "anthropic-messages", gemini: "gemini" };

/** Our name of a provider where a library has another. */
export function providerNamed(theirs: string): string {
  const [first = theirs] = theirs.split(".");
  return NAMES[first] ?? first;
}

const NAMES: Readonly<Record<string, string>> = {
  google: "gemini",
  google_genai: "gemini",
  "google-genai": "gemini",
  vertex: "gemini",
  google_vertexai: "gemini",
  mistralai: "mistral",
  togetherai: "together",
  "azure-openai": "azure",
  azure_openai: "azure",
};
