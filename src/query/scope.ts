/** Whose rows a query may read. Every table's source is made from it, so that none can be had without. */
import type { RowScope } from "../identity/principal.ts";
import { isTagName } from "../record/tag.ts";
import { QueryRefusal } from "./fault.ts";
import { allOf, bind, type Fragment, sql } from "./fragment.ts";

export interface Access {
  readonly org: string;
  /** Absent = all rows of the org. */
  readonly rowScope?: RowScope | undefined;
}

/** The tag's value in a JSON object of texts; null where it has none. */
export function tagValue(tags: Fragment, name: string): Fragment {
  if (!isTagName(name)) throw unusable("a row scope names a tag that cannot exist");
  return sql`json_extract(${tags}, ${bind(`$."${name}"`)})`;
}

/** True of rows whose tags carry all that the scope asks for. A scope that names no tag was meant to hold something back. */
export function carries(tags: Fragment, { tags: wanted }: RowScope): Fragment {
  const conditions = Object.entries(wanted).map(([name, value]) => sql`${tagValue(tags, name)} = ${bind(value)}`);
  return conditions.length === 0 ? sql`0` : allOf(conditions);
}

/** The scope as conditions on one table's tags; none where every row may be read. */
export function scoped(tags: Fragment, { rowScope }: Access): readonly Fragment[] {
  return rowScope ? [carries(tags, rowScope)] : [];
}

/**
 * Grades `g` carry no tags: they are read where their subject is. What is said of an episode is said of all its runs, so
 * each of them must be in scope; an artifact belongs to its run and its inference, as far as it names them.
 */
export function scopedGrades({ org, rowScope }: Access): readonly Fragment[] {
  if (!rowScope) return [];
  const [of, own] = [bind(org), carries(sql`x.tags`, rowScope)];
  const inference = (id: Fragment) =>
    sql`EXISTS (SELECT 1 FROM inferences AS x WHERE x.org = ${of} AND x.id = ${id} AND ${own})`;
  const run = (id: Fragment) => sql`EXISTS (SELECT 1 FROM runs AS x WHERE x.org = ${of} AND x.id = ${id} AND ${own})`;
  const byId = sql`FROM runs AS x WHERE x.org = ${of} AND x.id = g.subject`;
  const byKey = sql`FROM runs AS x WHERE x.org = ${of} AND x.episode_key = g.subject`;
  const runs = sql`((EXISTS (SELECT 1 ${byId}) OR EXISTS (SELECT 1 ${byKey}))
    AND NOT EXISTS (SELECT 1 ${byId} AND (${own}) IS NOT 1) AND NOT EXISTS (SELECT 1 ${byKey} AND (${own}) IS NOT 1))`;
  const artifact = sql`EXISTS (SELECT 1 FROM artifacts AS a WHERE a.org = ${of} AND a.id = g.subject
    AND coalesce(a.run, a.inference) IS NOT NULL
    AND (a.run IS NULL OR ${run(sql`a.run`)}) AND (a.inference IS NULL OR ${inference(sql`a.inference`)}))`;
  return [
    sql`CASE g.subject_kind WHEN 'inference' THEN ${inference(sql`g.subject`)} WHEN 'run' THEN ${runs}
      WHEN 'artifact' THEN ${artifact} ELSE 0 END`,
  ];
}

function unusable(message: string): QueryRefusal {
  return new QueryRefusal("query_scope", message, { position: 0, length: 0 });
}
