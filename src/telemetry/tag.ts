/** The one rule of what a tag may be, for every way in: headers, metadata, keys, ingest, SDK. */

export const TAG_NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/;
export const MOST_TAGS = 32;
/** UTF-16 units. */
export const LONGEST_TAG_VALUE = 200;

/** `__proto__` would set an object's prototype instead of a tag, and be lost without a word. */
export function isTagName(name: string): boolean {
  return TAG_NAME.test(name) && name !== "__proto__";
}
