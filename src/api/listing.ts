/** What lists have in common: pages by key, and figures as answers show them. */
import { z } from "zod";

const CURSOR = /^(\d{1,16})_(.+)$/;

/** Where a page begins: epoch milliseconds by which the list is ordered, newest first, and an id. */
const place = z
  .string()
  .regex(CURSOR)
  .transform((text): { readonly at: number; readonly id: string } => {
    const [, at = "", id = ""] = CURSOR.exec(text) ?? [];
    return { at: Number(at), id };
  })
  .describe("`next` of the page before.");

const DEFAULT_LIMIT = 50;
export const MOST_LISTED = 200;

/** `?limit=` of a list with at most `most` entries. */
export const limitUpTo = (most: number) =>
  z.coerce.number().int().min(1).max(most).default(DEFAULT_LIMIT).describe(`At most ${most}.`);

/** `?after=&limit=` of a list with at most `most` entries on a page. */
export const pageQuery = (most: number) => ({ after: place.optional(), limit: limitUpTo(most) });

export const next = z.string().nullable().describe("Pass it as `after` for the next page; null = this was the last.");

/** `true` or `false` in a URL. */
export const flag = z.enum(["true", "false"]).transform((said) => said === "true");

export const nullableWord = z.string().nullable();
export const nullableFigure = z.int().nullable();
export const nullableUsd = z.string().nullable().describe("Exact decimal dollars, nine places; null = unknown.");
