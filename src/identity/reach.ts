import type { Principal } from "./principal.ts";

/**
 * What a key may call is written as patterns: a route name (`example.summarize`, `example.*`, `*`), a raw model
 * (`raw:openai/*`) or the auto lane (`auto`, `auto:batch`). `*` matches any text within its lane, so a key for all
 * routes (`*`) cannot call raw models or the auto lane.
 */
export const EVERY_ROUTE = "*";
/** Patterns that match everything, for keys that administer. */
export const EVERY_LANE = ["*", "raw:*", "auto", "auto:*"] as const;

const PATTERN = /^(?:(?:raw|auto):[A-Za-z0-9*][A-Za-z0-9._:/@*-]{0,127}|[A-Za-z0-9*][A-Za-z0-9._/@*-]{0,127})$/;

export function isReachPattern(pattern: string): boolean {
  return PATTERN.test(pattern);
}

/** True when a pattern matches. `reach` is a route name, `raw:provider/model`, `auto` or `auto:profile`. */
export function mayCall(principal: Pick<Principal, "routes">, reach: string): boolean {
  return principal.routes?.some((pattern) => matches(pattern, reach)) ?? true;
}

function matches(pattern: string, reach: string): boolean {
  if (laneOf(pattern) !== laneOf(reach)) return false;
  const [first = "", ...rest] = pattern.split("*");
  if (rest.length === 0) return pattern === reach;
  if (!reach.startsWith(first)) return false;
  const last = rest.pop() ?? "";
  let from = first.length;
  for (const part of rest) {
    const at = reach.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return reach.length - last.length >= from && reach.endsWith(last);
}

function laneOf(word: string): "route" | "raw" | "auto" {
  if (word.startsWith("raw:")) return "raw";
  return word === "auto" || word.startsWith("auto:") ? "auto" : "route";
}
