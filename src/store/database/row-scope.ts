/** A key's row scope as conditions: no row comes out that does not carry every tag of it. */
import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { Rows } from "../../runs/ports.ts";

/** `tags` is a JSON object of texts. `undefined` where the reader sees every row. */
export function carries(tags: SQLWrapper, rows: Rows): SQL | undefined {
  if (!rows) return undefined;
  const wanted = Object.entries(rows.tags).map(
    ([key, value]) =>
      sql`exists (select 1 from json_each(${tags}) tag where tag.key = ${key} and tag.value = ${value})`,
  );
  // A scope that names no tag was meant to hold something back: it shows nothing.
  return wanted.length === 0 ? sql`false` : sql.join(wanted, sql` and `);
}

/** An artifact is seen where the run and the inference it names both are, and it names at least one. */
export function seenArtifact(org: string, rows: Rows): SQL | undefined {
  if (!rows) return undefined;
  const run = sql`exists (select 1 from runs where runs.org = ${org} and runs.id = artifacts.run
    and ${carries(sql`runs.tags`, rows)})`;
  const inference = sql`exists (select 1 from inferences where inferences.org = ${org}
    and inferences.id = artifacts.inference and ${carries(sql`inferences.tags`, rows)})`;
  return sql`(coalesce(artifacts.run, artifacts.inference) is not null
    and (artifacts.run is null or ${run}) and (artifacts.inference is null or ${inference}))`;
}
