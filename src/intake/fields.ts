/** Fields that several intakes take, each with its one rule: what is refused at one door is refused at every other. */
import { z } from "zod";
import { usdToNano } from "../money/nano-usd.ts";
import { ID_PATTERN } from "../route/identifier.ts";
import { tagsFault } from "./tag-rule.ts";

/** Ids of providers, models, routes, runs, steps, keys: short words for URLs, tables, shell words and object names. */
export const identifier = z.string().regex(ID_PATTERN, `must match ${ID_PATTERN.source}`);

/** The database ends a text at U+0000 and would give back less than it was given. */
export const isStorable = (text: string): boolean => !text.includes("\0");
const STORABLE = "must not hold the character U+0000";

/** A name that people chose: a pipeline, a task, a person. */
export const label = z.string().min(1).max(200).refine(isStorable, STORABLE);

/** Prose that people wrote. */
export const comment = z.string().max(4_000).refine(isStorable, STORABLE);

/**
 * A word of somebody else's that is kept as a fact: a provider's error code, a field's name. Control characters and
 * marks that reorder text are taken out, since a terminal or a log would obey them.
 */
export const foreignWord = z.string().max(256).overwrite(withoutControls);

/** The text with control characters, line separators and bidirectional overrides replaced by `replacement`. */
export function withoutControls(text: string, replacement = ""): string {
  return text.replace(/[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+/gu, replacement);
}

/** The last moment whose year has four digits: what ISO 8601 and the database's own dates can say. */
export const LAST_INSTANT = 253_402_300_799_999;

/** Epoch milliseconds. One that no date can say would break every list that shows it. */
export const instant = z.int().nonnegative().max(LAST_INSTANT);

/** A point in time as a caller writes it, in epoch milliseconds. */
export const time = z
  .union([z.iso.datetime({ offset: true }), z.string().regex(/^\d{1,16}$/)], {
    error: "takes ISO 8601 with a zone, or epoch milliseconds",
  })
  .transform((said) => (/^\d+$/.test(said) ? Number(said) : Date.parse(said)))
  .refine((at) => instant.safeParse(at).success, "a time lies between the years 1970 and 9999")
  .describe("ISO 8601 with a zone, or epoch milliseconds.");

/** How far ahead of the gateway's clock a reported time may be: clocks disagree, but not by more than a day. */
const FURTHEST_AHEAD_MS = 86_400_000;

/** Whether something can have happened then. What is dated further ahead would head every list until it came. */
export function hasHappened(at: number, now: number): boolean {
  return at <= now + FURTHEST_AHEAD_MS;
}

/** A call took no longer than this, milliseconds. */
export const LONGEST_CALL_MS = 604_800_000;
const MOST_TOKENS = 1_000_000_000;
/** A single call never cost more: a larger figure is a mistake, and would spoil every sum it is in. */
export const MOST_COST_USD = 10_000;

export const tokenCount = z.int().nonnegative().max(MOST_TOKENS);

/** Up to $999,999.999999999, so that the sum of several still is an exact number of nano-dollars. */
const USD_TEXT = /^\d{1,6}(\.\d{1,9})?$/;

/** Dollars as exact decimal text. */
export const usdText = z
  .string()
  .regex(USD_TEXT, 'takes exact decimal dollars as a text, such as "0.25": at most 6 digits and 9 decimal places')
  .describe("Exact decimal dollars, at most nine places.");

/** The same, more than nothing: a limit of nothing allows nothing. */
export const usdLimit = usdText.refine((text) => USD_TEXT.test(text) && usdToNano(text) > 0, "must be more than 0");

/** Tags as a field of a body. Looked at before zod copies them: it leaves `__proto__` out without a word. */
export const tags = z.preprocess(
  (all, context) => {
    const fault = tagsFault(all);
    if (fault !== undefined) context.addIssue(fault);
    return all;
  },
  z.record(z.string(), z.string()),
);
