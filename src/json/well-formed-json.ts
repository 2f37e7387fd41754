/**
 * An escaped backslash, a surrogate pair written as two escapes, or the escape of half a pair. `JSON.stringify` writes
 * whole pairs as they are; other writers escape them.
 */
const ESCAPES = /\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}/g;
const HALF_LENGTH = "\\ud800".length;

/** JSON text without lone surrogates, which no UTF-8 holds and providers refuse: each becomes U+FFFD. */
export function wellFormedJson(value: unknown): string {
  return wellFormedEscapes(JSON.stringify(value));
}

/** The same of a text that somebody else wrote. A text that is not JSON stays as it is, but for such escapes. */
export function wellFormedEscapes(text: string): string {
  if (!text.includes("\\ud") && !text.includes("\\uD")) return text;
  return text.replace(ESCAPES, (found) => (found.length === HALF_LENGTH ? "\ufffd" : found));
}
