/**
 * Remembers the client's own form of a neutral value (a message, a tool, a response format), so that the same dialect
 * can send it with fields that the neutral form lacks. Neutral values are immutable: a changed one is a new object
 * without an origin, so changes take precedence without comparing the two forms.
 */
import type { JsonRecord } from "../json/record.ts";
import type { DialectName } from "./chat.ts";

const origins = new WeakMap<object, { readonly dialect: DialectName; readonly value: JsonRecord }>();

export function withOrigin<T extends object>(neutral: T, dialect: DialectName, value: JsonRecord): T {
  origins.set(neutral, { dialect, value });
  return neutral;
}

export function originOf(neutral: object | undefined, dialect: DialectName): JsonRecord | undefined {
  const origin = neutral === undefined ? undefined : origins.get(neutral);
  return origin?.dialect === dialect ? origin.value : undefined;
}
