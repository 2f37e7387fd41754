/** The one rule of what a tag may be, for every way in: headers, metadata, keys, ingest, SDK. */

import { z } from "zod";

export const TAG_NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/;
export const MOST_TAGS = 32;
/** UTF-16 units. */
export const LONGEST_TAG_VALUE = 200;

/** `__proto__` would set an object's prototype instead of a tag, and be lost without a word. */
export function isTagName(name: string): boolean {
  return TAG_NAME.test(name) && name !== "__proto__";
}

/** Tags as a field of a body. Looked at before zod copies them: it leaves `__proto__` out without a word. */
export const tags = z.preprocess(
  (all, context) => {
    if (typeof all === "object" && all !== null && Object.hasOwn(all, "__proto__")) {
      context.addIssue("a tag must not be named __proto__");
    }
    return all;
  },
  z
    .record(z.string(), z.string().max(LONGEST_TAG_VALUE))
    .refine((all) => Object.keys(all).every(isTagName) && Object.keys(all).length <= MOST_TAGS, {
      message: `at most ${MOST_TAGS} tags, named by letters, digits, _ . and -`,
    }),
);
