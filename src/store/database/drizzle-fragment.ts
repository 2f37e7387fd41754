import { type SQL, sql } from "drizzle-orm";
import type { Fragment } from "./fragment.ts";

/** Returns a fragment as a condition of a drizzle query; `undefined` stays `undefined`. */
export function drizzled(fragment: Fragment): SQL;
export function drizzled(fragment: Fragment | undefined): SQL | undefined;
export function drizzled(fragment: Fragment | undefined): SQL | undefined {
  if (!fragment) return undefined;
  const texts = fragment.sql.split("?").map((text) => sql.raw(text));
  return sql.join(texts.flatMap((text, index) => (index === 0 ? [text] : [sql`${fragment.args[index - 1]}`, text])));
}
