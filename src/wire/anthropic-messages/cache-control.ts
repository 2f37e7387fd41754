import { isRecord } from "../../json/record.ts";
import type { DroppedField } from "../dialect.ts";

const MOST_BREAKPOINTS = 4;

/**
 * Holds a body to Anthropic's rules for cache breakpoints: at most four, and none of one hour after one of five minutes
 * (order: tools, system, messages). The last breakpoints cover the longest prefixes, so the first ones give way.
 */
export function limitBreakpoints(body: Record<string, unknown>, dropped: DroppedField[]): void {
  const marked = [...blocksOf(body["tools"]), ...blocksOf(body["system"]), ...messageBlocks(body["messages"])].filter(
    (block) => "cache_control" in block,
  );
  for (const block of marked.splice(0, Math.max(0, marked.length - MOST_BREAKPOINTS))) {
    delete block["cache_control"];
    dropped.push({ field: "cache_control", why: `Anthropic takes ${MOST_BREAKPOINTS} breakpoints` });
  }
  let shortSeen = false;
  for (const block of marked) {
    const control = block["cache_control"];
    if (!isRecord(control)) continue;
    if (control["ttl"] !== "1h") shortSeen = true;
    else if (shortSeen) {
      block["cache_control"] = { ...control, ttl: "5m" };
      dropped.push({ field: "cache_control.ttl", why: "a one-hour breakpoint cannot follow a five-minute one" });
    }
  }
}

function blocksOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter((block): block is Record<string, unknown> => isRecord(block)) : [];
}

function messageBlocks(messages: unknown): Record<string, unknown>[] {
  return blocksOf(messages).flatMap((message) => blocksOf(message["content"]));
}
