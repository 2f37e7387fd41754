/** Fields that several ways in accept, each with one rule, so that all of them refuse the same values. */
import { z } from "zod";
import { usdToNano } from "../money/nano-usd.ts";
import { ID_PATTERN } from "../route/identifier.ts";
import { isStorable, tagsFault } from "./tag-rule.ts";

/**
 * Ids of providers, models, routes, runs, steps and keys: short words that are safe in URLs, tables, shells and object
 * names.
 */
export const identifier = z.string().regex(ID_PATTERN, `must match ${ID_PATTERN.source}`);

const STORABLE = "must not hold the character U+0000";

/** A name chosen by people: of a pipeline, a task or a person. */
export const label = z.string().min(1).max(200).refine(isStorable, STORABLE);

/** Free text written by people. */
export const comment = z.string().max(4_000).refine(isStorable, STORABLE);

/**
 * A word of another system kept as a fact: a provider's error code, a field's name. Control characters and marks that
 * reorder text are removed, because a terminal or a log would interpret them.
 */
export const foreignWord = z.string().max(256).overwrite(withoutControls);

/** Returns the text with control characters, line separators and bidirectional overrides replaced by `replacement`. */
export function withoutControls(text: string, replacement = ""): string {
  return text.replace(/[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+/gu, replacement);
}

/**
 * The last instant with a year of four digits, the limit of ISO 8601 and of the database's dates. Epoch milliseconds.
 */
export const LAST_INSTANT = 253_402_300_799_999;

/** Epoch milliseconds. An instant outside the range of dates would break every list that shows it. */
export const instant = z.int().nonnegative().max(LAST_INSTANT);

/** A point in time as a caller writes it, converted to epoch milliseconds. */
export const time = z
  .union([z.iso.datetime({ offset: true }), z.string().regex(/^\d{1,16}$/)], {
    error: "takes ISO 8601 with a zone, or epoch milliseconds",
  })
  .transform((said) => (/^\d+$/.test(said) ? Number(said) : Date.parse(said)))
  .refine((at) => instant.safeParse(at).success, "a time lies between the years 1970 and 9999")
  .describe("ISO 8601 with a zone, or epoch milliseconds.");

/** Milliseconds that a reported time may be ahead of the gateway's clock: clocks differ, but not by more than a day. */
const FURTHEST_AHEAD_MS = 86_400_000;

/** True unless the time is too far ahead. A row dated in the future would stay at the top of every list. */
export function hasHappened(at: number, now: number): boolean {
  return at <= now + FURTHEST_AHEAD_MS;
}

/** Longest duration of a call, milliseconds. */
export const LONGEST_CALL_MS = 604_800_000;
const MOST_TOKENS = 1_000_000_000;
export const tokenCount = z.int().nonnegative().max(MOST_TOKENS);

/** Up to $999,999.999999999, so that the sum of several is still an exact number of nano-dollars. */
const USD_TEXT = /^\d{1,6}(\.\d{1,9})?$/;

/** Dollars as exact decimal text. */
export const usdText = z
  .string()
  .regex(USD_TEXT, 'takes exact decimal dollars as a text, such as "0.25": at most 6 digits and 9 decimal places')
  .describe("Exact decimal dollars, at most nine places.");

/** The same, above zero: a limit of zero would allow nothing. */
export const usdLimit = usdText.refine((text) => USD_TEXT.test(text) && usdToNano(text) > 0, "must be more than 0");

/** Tags as a field of a body. Checked before zod copies them, because zod drops `__proto__` silently. */
export const tags = z.preprocess(
  (all, context) => {
    const fault = tagsFault(all);
    if (fault !== undefined) context.addIssue(fault);
    return all;
  },
  z.record(z.string(), z.string()),
);
