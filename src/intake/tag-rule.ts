/** Rule of tags for every way in: headers, metadata, keys, ingest, SDK. */
export const TAG_NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/;
export const MOST_TAGS = 32;
/** UTF-16 units. */
const LONGEST_TAG_VALUE = 200;

/** False for text with U+0000, where the database would cut it. */
export function isStorable(text: string): boolean {
  return !text.includes("\0");
}

/** `__proto__` would set an object's prototype instead of a tag and be lost silently. */
export function isTagName(name: string): boolean {
  return TAG_NAME.test(name) && name !== "__proto__";
}

/** What a tag's value must be, for messages. */
export const TAG_VALUE = `a text of at most ${LONGEST_TAG_VALUE} characters, without U+0000`;

export function isTagValue(value: unknown): value is string {
  return typeof value === "string" && value.length <= LONGEST_TAG_VALUE && isStorable(value);
}

/** Returns why the tags are invalid, or undefined where they are valid. The reason never quotes a value. */
export function tagsFault(all: unknown): string | undefined {
  if (typeof all !== "object" || all === null || Array.isArray(all)) return "tags are an object of texts";
  const entries = Object.entries(all);
  if (Object.hasOwn(all, "__proto__")) return "a tag must not be named __proto__";
  if (entries.length > MOST_TAGS || !entries.every(([name]) => isTagName(name))) {
    return `at most ${MOST_TAGS} tags, named by letters, digits, _ . and -`;
  }
  return entries.every(([, value]) => isTagValue(value)) ? undefined : `a tag's value is ${TAG_VALUE}`;
}
