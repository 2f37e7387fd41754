/**
 * Conditions for the rows that a reader may see: the one place where a key's row scope becomes SQL, for lists, single
 * rows, `/query` and ingest. Rows without tags are seen through the rows they belong to.
 */
import type { RowScope } from "../../identity/principal.ts";
import { isTagName } from "../../intake/tag-rule.ts";
import type { Rows } from "../../runs/ports.ts";
import { allOf, bind, type Fragment, sql } from "./fragment.ts";

export interface Access {
  readonly org: string;
  /** Absent = all rows of the org. */
  readonly rowScope?: RowScope | undefined;
}

/** Returns the tag's value in a JSON object of texts; null where it has none. */
export function tagValue(tags: Fragment, name: string): Fragment {
  return isTagName(name) ? sql`json_extract(${tags}, ${bind(`$."${name}"`)})` : sql`NULL`;
}

/**
 * True for rows with all tags of the scope; `undefined` where the reader sees every row. A scope without tags shows
 * nothing, because it was meant to restrict.
 */
export function carries(tags: Fragment, rows: Rows): Fragment | undefined {
  if (!rows) return undefined;
  const wanted = Object.entries(rows.tags).map(([name, value]) => sql`${tagValue(tags, name)} IS ${bind(value)}`);
  return wanted.length === 0 ? sql`0` : allOf(wanted);
}

/** True when an inference with this id exists and is in scope. */
function seesInference({ org, rowScope }: Access, id: Fragment): Fragment {
  return there(sql`inferences AS s`, [sql`s.org = ${bind(org)}`, sql`s.id = ${id}`, carries(sql`s.tags`, rowScope)]);
}

function seesOneRun({ org, rowScope }: Access, id: Fragment): Fragment {
  return there(sql`runs AS s`, [sql`s.org = ${bind(org)}`, sql`s.id = ${id}`, carries(sql`s.tags`, rowScope)]);
}

/**
 * True when a run with this id, or with this episode key, exists and is in scope. A statement about an episode applies
 * to all its runs, and several customers may use one key: it is seen only where each of those runs is.
 */
export function seesRun({ org, rowScope }: Access, id: Fragment): Fragment {
  const byId = [sql`s.org = ${bind(org)}`, sql`s.id = ${id}`];
  const byKey = [sql`s.org = ${bind(org)}`, sql`s.episode_key = ${id}`];
  const known = sql`(${there(sql`runs AS s`, byId)} OR ${there(sql`runs AS s`, byKey)})`;
  const own = carries(sql`s.tags`, rowScope);
  if (!own) return known;
  const hidden = [byId, byKey].map((by) => sql`NOT ${there(sql`runs AS s`, [...by, sql`NOT (${own})`])}`);
  return sql`(${allOf([known, ...hidden])})`;
}

/**
 * True when the row `artifact` of artifacts is in scope: it names a run or an inference, and everything it names is in
 * scope.
 */
export function seesArtifactRow(access: Access, artifact: Fragment): Fragment | undefined {
  if (!access.rowScope) return undefined;
  const [run, inference] = [sql`${artifact}.run`, sql`${artifact}.inference`];
  return sql`(coalesce(${run}, ${inference}) IS NOT NULL AND (${run} IS NULL OR ${seesOneRun(access, run)})
    AND (${inference} IS NULL OR ${seesInference(access, inference)}))`;
}

/** True when an artifact with this id exists and is in scope. */
function seesArtifact(access: Access, id: Fragment): Fragment {
  const own = [sql`x.org = ${bind(access.org)}`, sql`x.id = ${id}`, seesArtifactRow(access, sql`x`)];
  return there(sql`artifacts AS x`, own);
}

/** True when the subject of a grade exists and is in scope. */
export function seesSubject(access: Access, kind: Fragment, id: Fragment): Fragment {
  return sql`CASE ${kind} WHEN 'inference' THEN ${seesInference(access, id)} WHEN 'artifact' THEN ${seesArtifact(access, id)}
    WHEN 'run' THEN ${seesRun(access, id)} ELSE 0 END`;
}

function there(table: Fragment, conditions: readonly (Fragment | undefined)[]): Fragment {
  return sql`EXISTS (SELECT 1 FROM ${table} WHERE ${allOf(conditions.filter((one) => one !== undefined))})`;
}
