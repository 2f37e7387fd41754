/** Where two JSON values differ, path by path. */
import { isRecord } from "../../json/record.ts";
import { canonicalJson } from "../../route/canonical.ts";

export interface ChangedPath {
  /** JSON pointer; empty = the value itself. */
  readonly path: string;
  /** Absent on the side that has no such member, which differs from one that is null. */
  readonly left?: unknown;
  readonly right?: unknown;
}

/** Below this depth a difference is told as a whole. */
const DEEPEST = 32;

/** Members by name, elements by position; a number is compared as a number. */
export function changedPaths(left: unknown, right: unknown): ChangedPath[] {
  return differences(left, right, "", 0);
}

function differences(left: unknown, right: unknown, path: string, depth: number): ChangedPath[] {
  if (depth < DEEPEST) {
    if (Array.isArray(left) && Array.isArray(right)) {
      return memberDifferences(new Map(left.entries()), new Map(right.entries()), path, depth);
    }
    if (isRecord(left) && isRecord(right)) {
      return memberDifferences(new Map(Object.entries(left)), new Map(Object.entries(right)), path, depth);
    }
  }
  return canonicalJson(left) === canonicalJson(right) ? [] : [{ path, left, right }];
}

function memberDifferences<K extends string | number>(
  left: ReadonlyMap<K, unknown>,
  right: ReadonlyMap<K, unknown>,
  path: string,
  depth: number,
): ChangedPath[] {
  return [...new Set([...left.keys(), ...right.keys()])].flatMap((key) => {
    const member = `${path}/${String(key).replace(/~/g, "~0").replace(/\//g, "~1")}`;
    if (!left.has(key)) return [{ path: member, right: right.get(key) }];
    if (!right.has(key)) return [{ path: member, left: left.get(key) }];
    return differences(left.get(key), right.get(key), member, depth + 1);
  });
}
