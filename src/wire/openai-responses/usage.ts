import { isRecord, type JsonRecord, numberAt, recordAt, stringAt } from "../../json/record.ts";
import type { Usage } from "../../money/usage.ts";
import { leftToOutput, reportedUsd } from "../reported-usage.ts";

/**
 * `input_tokens` includes cached tokens, `output_tokens` includes reasoning. What the provider's own tools did is not in
 * the usage object but items of the output, each billed; `output` may be empty where they are not known.
 */
export function normaliseUsage(raw: unknown, output: readonly unknown[] = []): Usage | undefined {
  if (!isRecord(raw)) return undefined;
  const input = numberAt(raw, "input_tokens");
  const inputDetails = recordAt(raw, "input_tokens_details");
  const outputDetails = recordAt(raw, "output_tokens_details");
  const cacheRead = numberAt(inputDetails, "cached_tokens");
  const cacheWrite = numberAt(inputDetails, "cache_write_tokens");
  const total = leftToOutput(numberAt(raw, "output_tokens"), input, numberAt(raw, "total_tokens"));
  const reasoning = numberAt(outputDetails, "reasoning_tokens");
  const audio = numberAt(outputDetails, "audio_tokens");
  const image = numberAt(outputDetails, "image_tokens");
  const cached = (cacheRead ?? 0) + (cacheWrite ?? 0);
  const consistent = (input === undefined || cached <= input) && (total === undefined || (reasoning ?? 0) <= total);
  return {
    input: {
      total: input,
      uncached: input === undefined ? undefined : Math.max(0, input - cached),
      cacheRead,
      cacheWrite,
      audio: numberAt(inputDetails, "audio_tokens"),
      image: numberAt(inputDetails, "image_tokens"),
    },
    output: {
      total,
      text: total === undefined ? undefined : Math.max(0, total - (reasoning ?? 0) - (audio ?? 0) - (image ?? 0)),
      reasoning,
      audio,
      image,
    },
    searches: searchesIn(raw, output),
    providerTools: toolsIn(raw, output),
    reportedUsd: reportedUsd(raw),
    estimated: false,
    ...(consistent ? {} : { inconsistent: true }),
    raw,
  };
}

/** Searches that are billed: not the pages opened or searched in afterwards. xAI also counts them in its usage object. */
function searchesIn(raw: JsonRecord, output: readonly unknown[]): number | undefined {
  const items = output.filter(isBilledSearch).length;
  const counted = numberAt(recordAt(raw, "server_side_tool_usage_details"), "web_search_calls") ?? 0;
  return Math.max(items, counted) || undefined;
}

/** Items of tools that are billed besides tokens, by the name of the tool. */
const BILLED_ITEM = /^(file_search|code_interpreter|image_generation)_call$/;

/** Searches aside. xAI counts its tools in the usage object, some by names that the items do not have. */
function toolsIn(raw: JsonRecord, output: readonly unknown[]): Readonly<Record<string, number>> | undefined {
  const uses = new Map<string, number>();
  for (const item of output) {
    const tool = BILLED_ITEM.exec(stringAt(item, "type") ?? "")?.[1];
    if (tool !== undefined) uses.set(tool, (uses.get(tool) ?? 0) + 1);
  }
  for (const [name, count] of Object.entries(recordAt(raw, "server_side_tool_usage_details") ?? {})) {
    const tool = name.replace(/_calls$/, "");
    if (tool !== "web_search" && typeof count === "number" && count > 0)
      uses.set(tool, Math.max(count, uses.get(tool) ?? 0));
  }
  return uses.size === 0 ? undefined : Object.fromEntries(uses);
}

/** True for items that the usage of a stream is counted from. */
export function isBilledItem(item: unknown): boolean {
  return isBilledSearch(item) || BILLED_ITEM.test(stringAt(item, "type") ?? "");
}

/** Items of the first recordings tell no action; each was one search. */
function isBilledSearch(item: unknown): boolean {
  if (stringAt(item, "type") !== "web_search_call") return false;
  const action = stringAt(recordAt(item, "action"), "type");
  return action === undefined || action === "search";
}

/** Usage for a client of this dialect. Unknown figures are zero here: the official client types them as numbers. */
export function encodeUsage(usage: Usage): Record<string, unknown> {
  const input = usage.input.total ?? 0;
  const output = usage.output.total ?? 0;
  return {
    input_tokens: input,
    input_tokens_details: {
      cached_tokens: usage.input.cacheRead ?? 0,
      cache_write_tokens: usage.input.cacheWrite ?? 0,
    },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: usage.output.reasoning ?? 0 },
    total_tokens: input + output,
  };
}
