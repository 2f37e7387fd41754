/** The leaves of an output, and outputs with some of them replaced. */
import { pointerTo } from "../../json/pointer.ts";
import { isRecord } from "../../json/record.ts";

/** An output nested deeper is left as it is from there. */
const DEEPEST = 32;

/** A text of fewer words is a name or a code: it can be neither padded nor reworded. */
const LEAST_WORDS = 4;

interface Leaf {
  readonly pointer: string;
  readonly value: string | number | boolean | null;
}

/** Every value that holds no others, in order. */
export function leavesOf(output: unknown): Leaf[] {
  const leaves: Leaf[] = [];
  withLeaves(output, (leaf) => {
    leaves.push(leaf);
    return leaf.value;
  });
  return leaves;
}

/** The same output with each leaf replaced by what `replace` returns. */
export function withLeaves(output: unknown, replace: (leaf: Leaf) => unknown, pointer = "", depth = 0): unknown {
  if (depth > DEEPEST) return output;
  const below = (value: unknown, key: string | number): unknown =>
    withLeaves(value, replace, pointerTo(pointer, key), depth + 1);
  if (Array.isArray(output)) return output.map(below);
  if (isRecord(output))
    return Object.fromEntries(Object.entries(output).map(([key, value]) => [key, below(value, key)]));
  if (typeof output === "string" || typeof output === "number" || typeof output === "boolean" || output === null)
    return replace({ pointer, value: output });
  return output;
}

/** The leaves whose wording is free. */
export function freeTexts(output: unknown): { readonly pointer: string; readonly text: string }[] {
  return leavesOf(output).flatMap(({ pointer, value }) =>
    typeof value === "string" && wordsOf(value).length >= LEAST_WORDS ? [{ pointer, text: value }] : [],
  );
}

export function wordsOf(text: string): string[] {
  return text.split(/\s+/u).filter((word) => word !== "");
}
