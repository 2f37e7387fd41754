import { arrayAt, isRecord, type JsonRecord, numberAt, recordAt, stringAt } from "../../json/record.ts";
import type { Usage } from "../../money/usage.ts";

/**
 * Anthropic's `input_tokens` leaves cached tokens out, so the total is a sum. In streams the figures are cumulative:
 * later ones replace earlier ones. Where `iterations` lists several passes (compaction, a tool loop, a fallback), they are
 * added up, but for an advisor's, which wrote nothing of the answer. Passes of other models are billed as those. `content`
 * tells which tools ran at the provider.
 */
export function normaliseUsage(raw: unknown, content: readonly unknown[] = []): Usage | undefined {
  const usage = tokenUsage(raw);
  const runs = content.filter(
    (block) => CONTAINER_TOOL.test(stringAt(block, "name") ?? "") && isServerTool(block),
  ).length;
  return usage && runs > 0 ? { ...usage, providerTools: { code_execution: runs } } : usage;
}

/** Tools that run in a container, which is billed by the hour. Fetched pages are billed as tokens only. */
const CONTAINER_TOOL = /code_execution$/;

export function isServerTool(block: unknown): boolean {
  return stringAt(block, "type") === "server_tool_use";
}

function tokenUsage(raw: unknown): Usage | undefined {
  if (!isRecord(raw)) return undefined;
  const passes = (arrayAt(raw, "iterations") ?? []).filter(isRecord);
  const answering = passes.filter((pass) => pass["type"] !== "advisor_message");
  const usage = passUsage(answering.length > 0 ? answering : [raw], raw);
  if (passes.every((pass) => otherModel(pass) === undefined)) return usage;
  // Searches are counted for the whole request, and billed once.
  const billed = (pass: JsonRecord, at: number): Usage => ({
    ...passUsage([pass], pass),
    searches: at === 0 ? usage.searches : undefined,
  });
  return { ...usage, passes: passes.map((pass, at) => ({ model: otherModel(pass), usage: billed(pass, at) })) };
}

/** Undefined for a pass of the requested model, which may name itself too. */
function otherModel(pass: JsonRecord): string | undefined {
  return /^(?:advisor|fallback)_message$/.test(stringAt(pass, "type") ?? "") ? stringAt(pass, "model") : undefined;
}

function passUsage(passes: readonly JsonRecord[], raw: JsonRecord): Usage {
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
