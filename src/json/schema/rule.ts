/** What a keyword's rule is given, and what rules share. */
import { exactText } from "../exact-numbers.ts";
import { isRecord, type JsonRecord } from "../record.ts";
import type { Steps } from "../steps.ts";
import type { SchemaDocument } from "./schema-document.ts";

/** Where in the value a check stands; `undefined` at its top. */
export type Place = { readonly up: Place; readonly key: string | number } | undefined;

/** The members and items of one value that some keyword judged. */
export interface Judged {
  readonly names: Set<string>;
  readonly items: Set<number>;
}

/** The check that a rule is part of. */
export interface RuleContext {
  readonly document: SchemaDocument;
  readonly steps: Steps;
  /** Whether the rest of a value is still looked at after something in it failed. */
  readonly goesOn: boolean;
  /** Notes an error; always false, so that a rule can return it. */
  fail(at: Place, message: string): false;
  /** Whether `part` accepts `value`. What it judged of the value is added to `judged`. Throws `TooManySteps`. */
  accepts(part: unknown, value: unknown, at: Place, judged?: Judged): boolean;
  /** The same without noting errors. */
  wouldAccept(part: unknown, value: unknown, at: Place, judged?: Judged): boolean;
}

/** Whether `value` meets the keyword; a rule notes its own error. `judged` is absent where nothing asks for it. */
export type KeywordRule = (
  check: RuleContext,
  part: JsonRecord,
  value: unknown,
  at: Place,
  judged: Judged | undefined,
) => boolean;

export type NamedRule = readonly [keyword: string, rule: KeywordRule];

/** Every one holds; all are tried where errors are collected. */
export function everyOf<Item>(items: Iterable<Item>, check: RuleContext, holds: (item: Item) => boolean): boolean {
  let all = true;
  for (const item of items) {
    if (holds(item)) continue;
    all = false;
    if (!check.goesOn) break;
  }
  return all;
}

/** An object of JSON; an exact number is held in an object and is none. */
export function isJsonObject(value: unknown): value is JsonRecord {
  return isRecord(value) && exactText(value) === undefined;
}
