/** What lists and bodies have in common: pages by key, times, and faults that name the field. */
import { z } from "@hono/zod-openapi";
import { instant } from "../../src/record/instant.ts";
import { badRequest, type HttpFault } from "../fault.ts";

const CURSOR = /^(\d{1,16})_(.+)$/;

export interface PagePlace {
  /** Epoch milliseconds by which the list is ordered, newest first. */
  readonly at: number;
  readonly id: string;
}

const place = z
  .string()
  .regex(CURSOR)
  .transform((text): PagePlace => {
    const [, at = "", id = ""] = CURSOR.exec(text) ?? [];
    return { at: Number(at), id };
  })
  .describe("`next` of the page before.");

/** `?after=&limit=` of a list with at most `most` entries on a page. */
export const pageQuery = (most: number) => ({
  after: place.optional(),
  limit: z.coerce.number().int().min(1).max(most).default(50),
});

export const next = z.string().nullable().describe("Pass it as `after` for the next page; null = this was the last.");

/** Cuts what was read, one row more than a page holds, to the page and the place where the next one begins. */
export function pageOf<Row extends { readonly id: string }>(
  rows: readonly Row[],
  limit: number,
  atOf: (row: Row) => number,
): { readonly shown: readonly Row[]; readonly next: string | null } {
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return { shown, next: last ? `${atOf(last)}_${last.id}` : null };
}

/** A point in time as a caller writes it, in epoch milliseconds. */
export const time = z
  .union([z.iso.datetime({ offset: true }), z.string().regex(/^\d{1,16}$/)])
  .transform((said) => (/^\d+$/.test(said) ? Number(said) : Date.parse(said)))
  .refine((at) => instant.safeParse(at).success, "a time lies between the years 1970 and 9999")
  .describe("ISO 8601 with a zone, or epoch milliseconds.");

export function isoOf(at: number): string {
  return new Date(at).toISOString();
}

export function isoOrNull(at: number | undefined): string | null {
  return at === undefined ? null : isoOf(at);
}

export function parseQuery<Schema extends z.ZodType>(schema: Schema, url: string): z.output<Schema> {
  const query: Record<string, string> = {};
  for (const [key, value] of new URL(url).searchParams) {
    // Of two values only one could be meant, and which would be a guess.
    if (Object.hasOwn(query, key)) throw badRequest(`${key} is given twice`, "invalid_query", key);
    query[key] = value;
  }
  return parseParams(schema, query);
}

/** The same of parameters that were read already. */
export function parseParams<Schema extends z.ZodType>(
  schema: Schema,
  params: Readonly<Record<string, string>>,
): z.output<Schema> {
  return parsed(schema, params, "invalid_query");
}

export function parseBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  return parsed(schema, body, "invalid_body");
}

function parsed<Schema extends z.ZodType>(schema: Schema, value: unknown, code: string): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw faultOf(result.error, code);
}

/** Names the field, never its value: that may be anything. */
function faultOf(error: z.ZodError, code: string): HttpFault {
  const [issue] = error.issues;
  const param = issue?.code === "unrecognized_keys" ? issue.keys[0] : issue?.path.join(".");
  const message = issue?.message ?? "invalid";
  return badRequest(param && !message.includes(param) ? `${param}: ${message}` : message, code, param || undefined);
}
