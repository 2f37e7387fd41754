import { arrayAt, isRecord, numberAt, recordAt, stringAt } from "../../json/record.ts";
import type { Usage } from "../../money/usage.ts";
import { leftToOutput } from "../reported-usage.ts";

/**
 * `promptTokenCount` includes cached tokens and leaves out the prompts of built-in tools; `candidatesTokenCount` leaves
 * out thinking. Cache writes are not reported: explicit caches bill storage instead.
 */
export function normaliseUsage(body: unknown): Usage | undefined {
  const raw = recordAt(body, "usageMetadata");
  if (raw === undefined) return undefined;
  const prompt = numberAt(raw, "promptTokenCount");
  const toolPrompt = numberAt(raw, "toolUsePromptTokenCount");
  const cacheRead = numberAt(raw, "cachedContentTokenCount");
  const reasoning = numberAt(raw, "thoughtsTokenCount");
  const input = sum(prompt, toolPrompt);
  const total = numberAt(raw, "totalTokenCount");
  // The first events of a stream carry traffic labels only.
  if (input === undefined && total === undefined && numberAt(raw, "candidatesTokenCount") === undefined)
    return undefined;
  const text = numberAt(raw, "candidatesTokenCount") ?? leftOut(total, input, reasoning);
  const output = leftToOutput(sum(text, reasoning), input, total);
  const adds = total === undefined || input === undefined || total === input + (output ?? 0);
  return {
    input: {
      total: input,
      uncached: input === undefined ? undefined : input - (cacheRead ?? 0),
      cacheRead,
      audio: modality(raw, "promptTokensDetails", "AUDIO"),
      image: modality(raw, "promptTokensDetails", "IMAGE"),
      video: modality(raw, "promptTokensDetails", "VIDEO"),
      cacheReadAudio: modality(raw, "cacheTokensDetails", "AUDIO"),
    },
    output: {
      total: output,
      text,
      reasoning,
      audio: modality(raw, "candidatesTokensDetails", "AUDIO"),
      image: modality(raw, "candidatesTokensDetails", "IMAGE"),
    },
    searches: searches(body),
    providerTools: isGroundedInMaps(body) ? { google_maps: 1 } : undefined,
    estimated: false,
    ...(adds ? {} : { inconsistent: true }),
    raw,
  };
}

/** The API omits counts of zero; the total distinguishes them from counts that were not made. */
function leftOut(
  total: number | undefined,
  input: number | undefined,
  reasoning: number | undefined,
): number | undefined {
  return total !== undefined && input !== undefined && total === input + (reasoning ?? 0) ? 0 : undefined;
}

function sum(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0);
}

function modality(raw: unknown, list: string, name: string): number | undefined {
  const entry = arrayAt(raw, list)?.find((detail) => stringAt(detail, "modality") === name);
  return numberAt(entry, "tokenCount");
}

/** True for an answer grounded in maps, which is billed once a request. */
function isGroundedInMaps(body: unknown): boolean {
  const chunks = (arrayAt(body, "candidates") ?? []).flatMap(
    (candidate) => arrayAt(recordAt(candidate, "groundingMetadata"), "groundingChunks") ?? [],
  );
  return chunks.some((chunk) => recordAt(chunk, "maps") !== undefined);
}

/** Queries that grounding sent to the search engine; each is billed. */
function searches(body: unknown): number | undefined {
  const queries = (arrayAt(body, "candidates") ?? [])
    .filter(isRecord)
    .flatMap((candidate) => arrayAt(recordAt(candidate, "groundingMetadata"), "webSearchQueries") ?? []);
  return queries.length === 0 ? undefined : queries.length;
}
