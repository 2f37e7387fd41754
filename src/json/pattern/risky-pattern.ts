/**
 * Patterns that can take exponential time: a repeated group that itself repeats something without bound, as in
 * `^(a+)+$`. JavaScript's engine backtracks, so such a pattern in a caller's schema could hold the whole isolate.
 */
import { isRecord } from "../record.ts";

/** The first risky pattern anywhere in a schema. Errs towards refusing: `(a+b)*` runs well and is named too. */
export function riskyPattern(schema: unknown): string | undefined {
  const pending: unknown[] = [schema];
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    if (Array.isArray(part)) pending.push(...(part as unknown[]));
    if (!isRecord(part)) continue;
    const named = isRecord(part["patternProperties"]) ? Object.keys(part["patternProperties"]) : [];
    const own = typeof part["pattern"] === "string" ? [part["pattern"]] : [];
    const risky = [...own, ...named].find(repeatsRepetition);
    if (risky !== undefined) return risky;
    pending.push(...Object.values(part));
  }
  return undefined;
}

const UNBOUNDED = /^(?:[*+]|\{\d+,\})/;

function repeatsRepetition(pattern: string): boolean {
  /** For each open group, whether something in it repeats without bound. */
  const groups: boolean[] = [];
  let inside = false;
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at];
    if (char === "\\") at += 1;
    else if (char === "[") at = classEnd(pattern, at);
    else if (char === "(") {
      groups.push(inside);
      inside = false;
    } else if (char === ")") {
      const repeated = UNBOUNDED.test(pattern.slice(at + 1));
      if (repeated && inside) return true;
      const outer = groups.pop() ?? false;
      inside = repeated || inside || outer;
    } else if (UNBOUNDED.test(pattern.slice(at, at + 24))) inside = true;
  }
  return false;
}

function classEnd(pattern: string, start: number): number {
  for (let at = start + 1; at < pattern.length; at++) {
    if (pattern[at] === "\\") at += 1;
    else if (pattern[at] === "]") return at;
  }
  return pattern.length;
}
