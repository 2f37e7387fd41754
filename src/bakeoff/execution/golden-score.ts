/** How far an output agrees with the output expected for its input, from 0 to 1. */

import { pointerTo } from "../../json/pointer.ts";
import { isRecord } from "../../json/record.ts";

/** Relative difference up to which two numbers are the same: what a decimal loses on its way, not a rounding of one. */
const NUMBER_TOLERANCE = 1e-9;
/** A text this deep or an answer this wide is compared no further. */
const MOST_LEAVES = 10_000;

/**
 * JSON by its leaves: agreeing leaves ÷ all leaves that either side has, so that a missing and an invented one both
 * count. Leaves are compared at their place (arrays by index), texts without regard to case, width and spacing;
 * `null` and absent are the same. Equal JSON is 1. An expected text is compared with the text of the answer, 1 or 0.
 */
export function goldenScore(expected: unknown, output: unknown): number {
  if (typeof expected === "string")
    return sameLeaf(expected, typeof output === "string" ? output : text(output)) ? 1 : 0;
  const mine = leavesOf(output);
  const theirs = leavesOf(expected);
  const places = new Set([...mine.keys(), ...theirs.keys()]);
  if (places.size === 0) return 1;
  let agreeing = 0;
  for (const place of places) {
    if (mine.has(place) && theirs.has(place) && sameLeaf(theirs.get(place), mine.get(place))) agreeing += 1;
  }
  return agreeing / places.size;
}

/** Every value that holds no others, by its JSON pointer. An empty list or map is one; `null` is none. */
function leavesOf(value: unknown): Map<string, unknown> {
  const leaves = new Map<string, unknown>();
  const open: [pointer: string, value: unknown][] = [["", value]];
  for (let next = open.pop(); next !== undefined && leaves.size < MOST_LEAVES; next = open.pop()) {
    const [pointer, item] = next;
    if (item === null || item === undefined) continue;
    const members: [string | number, unknown][] = Array.isArray(item)
      ? item.map((member, index) => [index, member])
      : isRecord(item)
        ? Object.entries(item)
        : [];
    if (members.length === 0) leaves.set(pointer, Array.isArray(item) ? EMPTY_LIST : isRecord(item) ? EMPTY_MAP : item);
    for (const [key, member] of members) open.push([pointerTo(pointer, key), member]);
  }
  return leaves;
}

const EMPTY_LIST = Symbol("[]");
const EMPTY_MAP = Symbol("{}");

function sameLeaf(expected: unknown, found: unknown): boolean {
  if (typeof expected === "number" && typeof found === "number") {
    return Math.abs(expected - found) <= NUMBER_TOLERANCE * Math.max(Math.abs(expected), Math.abs(found));
  }
  if (typeof expected === "string" && typeof found === "string") return normalised(expected) === normalised(found);
  return expected === found;
}

function normalised(words: string): string {
  return words.normalize("NFKC").replace(/\s+/gu, " ").trim().toLowerCase();
}

function text(value: unknown): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}
