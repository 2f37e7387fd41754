/** JSON pointers (RFC 6901): `""` is the whole document, `/items/0/name` a value in it. */

const SYNTAX = /^(?:\/(?:[^~/]|~[01])*)*$/;
const ARRAY_INDEX = /^(?:0|[1-9]\d*)$/;

export function isPointer(text: string): boolean {
  return SYNTAX.test(text);
}

/** The pointer to `key` below `parent`. */
export function pointerTo(parent: string, key: string | number): string {
  return `${parent}/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** Value at a pointer; `undefined` where nothing is there or the text is not a pointer. */
export function valueAt(document: unknown, pointer: string): unknown {
  if (!isPointer(pointer)) return undefined;
  let value = document;
  for (const token of pointer.split("/").slice(1)) {
    value = member(value, token.replaceAll("~1", "/").replaceAll("~0", "~"));
    if (value === undefined) return undefined;
  }
  return value;
}

function member(value: unknown, key: string): unknown {
  if (Array.isArray(value)) return ARRAY_INDEX.test(key) ? (value[Number(key)] as unknown) : undefined;
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[key];
}
