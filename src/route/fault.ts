/**
 * A fault of a bundle or of `modelrig.yaml`: what is wrong, where, and how to correct it. Data: nothing is thrown for a
 * bad file.
 */

/** Later ranks are printed later: the last fault on the screen is the one to correct first. */
const RANKS = ["warning", "meaning", "shape", "syntax"] as const;

export interface Fault {
  readonly severity: "error" | "warning";
  /** Stable dotted code, e.g. `route.unknown_key`. */
  readonly code: string;
  readonly message: string;
  /** As the caller named it. */
  readonly file: string;
  /** Both from 1. */
  readonly line: number;
  readonly column: number;
  /** Characters to underline, at least 1, on that line. */
  readonly length: number;
  /** Key path in the document, e.g. `candidates[0].model`; empty for the document itself. */
  readonly path: string;
  /** A valid key or value to write instead. */
  readonly suggestion?: string | undefined;
  readonly rank: (typeof RANKS)[number];
}

export type KeyPath = readonly (string | number)[];

export function pathText(path: KeyPath): string {
  let text = "";
  for (const step of path) {
    if (typeof step === "number") text += `[${step}]`;
    else if (/^[A-Za-z_$][\w$-]*$/.test(step)) text += text === "" ? step : `.${step}`;
    else text += `[${JSON.stringify(step)}]`;
  }
  return text;
}

/**
 * Sorts warnings first, then faults of meaning, of shape and of syntax; within each, the first in the file comes last.
 */
export function mostImportantLast(faults: readonly Fault[]): Fault[] {
  return [...faults].sort(
    (a, b) => RANKS.indexOf(a.rank) - RANKS.indexOf(b.rank) || b.line - a.line || b.column - a.column,
  );
}

export function hasErrors(faults: readonly Fault[]): boolean {
  return faults.some((fault) => fault.severity === "error");
}

/** Returns the nearest of `choices` by edit distance, or undefined where none is near enough. */
export function nearest(word: string, choices: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(word.length / 2)) + 0.5;
  for (const choice of choices) {
    const distance = editDistance(word.toLowerCase(), choice.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [choice, distance];
  }
  return best;
}

/** Optimal string alignment: insertions, deletions, substitutions and swaps of neighbours cost one each. */
function editDistance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 16) return Number.POSITIVE_INFINITY;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let cost = Math.min((row[j - 1] ?? 0) + 1, (last[j] ?? 0) + 1, (last[j - 1] ?? 0) + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, (beforeLast[j - 2] ?? 0) + 1);
      }
      row.push(cost);
    }
    [beforeLast, last] = [last, row];
  }
  return last[b.length] ?? Number.POSITIVE_INFINITY;
}
