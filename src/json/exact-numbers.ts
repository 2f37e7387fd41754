/**
 * JSON with integers above 2^53 kept as they are written. Parsing such a number into a double and writing it back
 * changes it (2512292042121000001 becomes …000), which corrupts ids in tool arguments.
 */

interface ReviverContext {
  readonly source?: string;
}

interface ExactJson {
  parse(text: string, reviver: (key: string, value: unknown, context: ReviverContext) => unknown): unknown;
  rawJSON(text: string): object;
  isRawJSON(value: unknown): value is { readonly rawJSON: string };
}

// Source text access for JSON.parse is in V8 since 11.4 (Node 22, workerd) and not yet in the type library.
const exact = JSON as unknown as ExactJson;

/** No shorter number is above 2^53. */
const LONG_NUMBER = /\d{16}/;

/** False before Node 22, where integers are read as doubles. */
const isSupported = typeof exact.rawJSON === "function";

/** Whether {@link parseExact} may read this text otherwise than `JSON.parse`. */
export function mayHoldExact(text: string): boolean {
  return isSupported && LONG_NUMBER.test(text);
}

/** Like `JSON.parse`; a number that a double cannot hold becomes a raw value that `JSON.stringify` writes unchanged. */
export function parseExact(text: string): unknown {
  if (!mayHoldExact(text)) return JSON.parse(text) as unknown;
  return exact.parse(text, (_key, value, { source }) => {
    if (typeof value !== "number" || source === undefined || String(value) === source) return value;
    return Number.isInteger(value) && !Number.isSafeInteger(value) ? exact.rawJSON(source) : value;
  });
}

/** The digits of a number that {@link parseExact} kept as written; `undefined` for every other value. */
export function exactText(value: unknown): string | undefined {
  if (!isSupported || typeof value !== "object" || value === null) return undefined;
  return exact.isRawJSON(value) ? value.rawJSON : undefined;
}
