/** A container of broken JSON as the scan has it open. */
import type { Frame, StringRole } from "./string-end.ts";

export type Container = {
  -readonly [Key in keyof Frame]: Frame[Key];
} & {
  /** Index of its opening bracket among the pieces of output. */
  readonly at: number;
  state: "key" | "colon" | "value" | "next";
  /** Index of its last comma among the pieces of output; a trailing one is taken back. */
  comma: number | undefined;
  /** Braces that the source left out: closed with whatever closes the container around them. */
  readonly implied: boolean;
  /** Parentheses of a function call, which `jsonrepair` unwraps. */
  readonly isCall: boolean;
};

export function roleIn({ kind, isSet, state }: Container): StringRole {
  if (kind === "array" || isSet) return "item";
  return state === "key" || state === "next" ? "key" : "value";
}
