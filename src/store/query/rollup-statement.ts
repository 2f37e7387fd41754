/**
 * Builds the statement that answers a plan from hourly rollups where they are valid and from the rows everywhere else,
 * as partial sums of each source that are added up. src/store/tables/rollups.ts describes which source is valid where.
 */
import type { RowScope } from "../../identity/principal.ts";
import type { QueryPlan, Scalar } from "../../query/plan.ts";
import type { OffsetPeriod } from "../../query/time-zone.ts";
import { allOf, bind, Fragment, listed, numbered, sql } from "../database/fragment.ts";
import type { Access } from "../database/row-scope.ts";
import { bucketSql } from "./bucket.ts";
import { boundOf } from "./range.ts";
import type { RollupChoice } from "./rollup-choice.ts";
import { KNOWN_SUMS, ROUTE_KEYS } from "./rollup-columns.ts";
import { type Compiled, conditions, rowSums, rowValue } from "./rows-statement.ts";
import { comparison, groupBy, groupedColumns, groupedEnd, havingOf, type Sums } from "./select.ts";
import { outsideEvaluation, sourceOf, visibleRows } from "./table-sources.ts";

type Figure = "count" | "sum" | "min" | "max";

/** A partial sum that every source provides. */
interface Part {
  readonly figure: Figure;
  readonly of: Scalar | undefined;
}

export function rollupStatement(
  plan: QueryPlan,
  access: Access,
  periods: readonly OffsetPeriod[],
  choice: RollupChoice,
): Compiled {
  const parts = new Parts();
  const keys = plan.scalars.map((_, index) => numbered("k", index));
  const { columns, layout } = groupedColumns(plan, keys, parts);
  const rows = sql`${parts.count()} > 0`;
  const sources = [
    ...rollupSources(plan, access, periods, choice, parts),
    ...rowSources(plan, access, periods, choice, parts),
  ];
  // A group whose rows all have the tag leaves no remainder.
  const having = [...(keys.length > 0 ? [rows] : []), ...havingOf(plan, layout)];
  const filter = having.length === 0 ? sql`` : sql` HAVING ${allOf(having)}`;
  const all = Fragment.join(sources, sql` UNION ALL `);
  return {
    statement: sql`SELECT ${listed(columns)} FROM (${all})${groupBy(keys)}${filter}${groupedEnd(plan, layout)}`,
    layout,
  };
}

/** Collects the partial sums of the answer and adds them up. */
class Parts implements Sums {
  readonly #parts: Part[] = [];

  get all(): readonly Part[] {
    return this.#parts;
  }

  count(of?: Scalar): Fragment {
    return sql`coalesce(sum(${this.#part("count", of)}), 0)`;
  }

  /** Null where no row has a value, as a sum over rows is. */
  sum(of: Scalar): Fragment {
    return sql`iif(${this.count(of)} > 0, sum(${this.#part("sum", of)}), NULL)`;
  }

  min(of: Scalar): Fragment {
    return sql`min(${this.#part("min", of)})`;
  }

  max(of: Scalar): Fragment {
    return sql`max(${this.#part("max", of)})`;
  }

  distinct(): never {
    throw new Error("distinct values cannot be counted from sums");
  }

  percentile(): never {
    throw new Error("a percentile cannot be had from sums");
  }

  #part(figure: Figure, of: Scalar | undefined): Fragment {
    const same = (part: Part) => part.figure === figure && columnOf(part.of) === columnOf(of);
    const known = this.#parts.findIndex(same);
    return numbered("m", known >= 0 ? known : this.#parts.push({ figure, of }) - 1);
  }
}

const columnOf = (scalar: Scalar | undefined): string | undefined =>
  scalar && scalar.kind !== "tag" ? scalar.column : undefined;

function rollupSources(
  plan: QueryPlan,
  { org, rowScope }: Access,
  periods: readonly OffsetPeriod[],
  choice: RollupChoice,
  parts: Parts,
): readonly Fragment[] {
  const { tag, untagged, firstHour, lastHour } = choice;
  const of = bind(org);
  const stale = sql`r.hour NOT IN (SELECT s.hour FROM stale_hours AS s WHERE s.org = ${of})`;
  const wide = tag === undefined ? [] : [sql`r.hour NOT IN (SELECT w.hour FROM ${wideHours(org, tag)})`];
  const hours = [...betweenTimes(sql`r.hour`, firstHour, lastHour), sql`(r.hour < ${mark(org)} OR ${stale})`, ...wide];
  const source = (table: Fragment, tagSql: Fragment, where: readonly Fragment[], sign: Fragment): Fragment => {
    const value = (scalar: Scalar): Fragment => rollupValue(scalar, tagSql, periods);
    const said = plan.where
      .filter((predicate) => !boundOf(predicate))
      .map(({ left, operator, values }) => comparison(value(left), operator, values));
    const scope = rowScope ? [carriesAlone(rowScope, tag, tagSql)] : [];
    const lanes = plan.named.has("lane") ? [] : [outsideEvaluation(sql`r.lane`)];
    const columns = [
      ...plan.scalars.map((scalar, index) => sql`${value(scalar)} AS ${numbered("k", index)}`),
      ...parts.all.map((part, index) => sql`${sign}${rollupPart(part)} AS ${numbered("m", index)}`),
    ];
    const all = allOf([sql`r.org = ${of}`, ...where, ...hours, ...lanes, ...scope, ...said]);
    return sql`SELECT ${listed(columns)} FROM ${table} AS r WHERE ${all}${groupBy(plan.scalars)}`;
  };
  if (tag === undefined) return [source(sql`inference_rollups`, sql`NULL`, [], sql``)];
  const ofTag = sql`r.tag = ${bind(tag)}`;
  const tagged = source(sql`tag_rollups`, sql`r.value`, [ofTag], sql``);
  if (!untagged) return [tagged];
  // Rows without the tag = all rows − rows with it.
  return [
    tagged,
    source(sql`tag_rollups`, sql`NULL`, [sql`r.tag = ''`], sql``),
    source(sql`tag_rollups`, sql`NULL`, [ofTag], sql`-`),
  ];
}

/** Applies a row scope to sums of one tag: nothing is seen where the scope names another tag, or none. */
function carriesAlone({ tags }: RowScope, tag: string | undefined, value: Fragment): Fragment {
  const wanted = Object.entries(tags).map(([name, text]) => (name === tag ? sql`${value} = ${bind(text)}` : sql`0`));
  return wanted.length === 0 ? sql`0` : allOf(wanted);
}

function rollupValue(scalar: Scalar, tagSql: Fragment, periods: readonly OffsetPeriod[]): Fragment {
  if (scalar.kind === "tag") return tagSql;
  if (scalar.kind === "bucket") return bucketSql(scalar.unit, sql`r.hour`, periods);
  return ROUTE_KEYS[scalar.column] ?? sql`NULL`;
}

function rollupPart({ figure, of }: Part): Fragment {
  const known = of ? KNOWN_SUMS[columnOf(of) ?? ""] : { count: sql`r.n` };
  const column = known?.[figure] ?? sql`NULL`;
  if (figure === "min") return sql`min(${column})`;
  return figure === "max" ? sql`max(${column})` : sql`sum(${column})`;
}

function rowSources(
  plan: QueryPlan,
  access: Access,
  periods: readonly OffsetPeriod[],
  { from, to, firstHour, lastHour, tag }: RollupChoice,
  parts: Parts,
): readonly Fragment[] {
  const { org } = access;
  const table = sourceOf(plan.table.name);
  const visible = visibleRows(table, access);
  const value = (scalar: Scalar): Fragment => rowValue(table, scalar, periods);
  const sums = rowSums(value);
  const columns = [
    ...plan.scalars.map((scalar, index) => sql`${value(scalar)} AS ${numbered("k", index)}`),
    ...parts.all.map((part, index) => sql`${rowPart(part, sums)} AS ${numbered("m", index)}`),
  ];
  const timeless = conditions({ ...plan, where: plan.where.filter((predicate) => !boundOf(predicate)) }, periods);
  const source = (source: Fragment, where: readonly Fragment[]): Fragment =>
    sql`SELECT ${listed(columns)} FROM ${source} WHERE ${allOf([...visible, ...where, ...timeless])}${groupBy(plan.scalars)}`;
  const edge = (low: number | undefined, high: number | undefined): readonly Fragment[] =>
    low !== undefined && high !== undefined && low < high
      ? [source(table.from, [sql`i.ts >= ${bind(low)}`, sql`i.ts < ${bind(high)}`])]
      : [];
  const span = betweenTimes(sql`h.hour`, firstHour, lastHour);
  const of = bind(org);
  const stale = sql`SELECT s.hour FROM stale_hours AS s WHERE s.org = ${of}`;
  const hours = tag === undefined ? stale : sql`${stale} UNION SELECT w.hour FROM ${wideHours(org, tag)}`;
  return [
    ...edge(from, firstHour),
    ...edge(lastHour, to),
    // Rows before the retention mark that have not been moved into the rollups yet.
    source(table.from, [...betweenTimes(sql`i.ts`, firstHour, lastHour), sql`i.ts < ${mark(org)}`]),
    // Cross join: the engine then looks rows up by hour, of which there are few.
    source(sql`(${hours}) AS h CROSS JOIN ${table.from}`, [
      ...span,
      sql`h.hour >= ${mark(org)}`,
      sql`i.ts >= h.hour`,
      sql`i.ts < h.hour + 3600000`,
    ]),
  ];
}

function rowPart({ figure, of }: Part, sums: Sums): Fragment {
  if (!of) return sums.count();
  return sums[figure](of);
}

/** Hours whose rollup does not contain the tag's values. */
function wideHours(org: string, tag: string): Fragment {
  return sql`wide_tags AS w WHERE w.org = ${bind(org)} AND w.tag IN (${bind(tag)}, '*')`;
}

/** Rows before this instant are being moved into the rollups. */
export function mark(org: string): Fragment {
  return sql`coalesce((SELECT m.before FROM retention_marks AS m WHERE m.org = ${bind(org)}), 0)`;
}

export function betweenTimes(time: Fragment, from: number | undefined, to: number | undefined): readonly Fragment[] {
  return [
    ...(from === undefined ? [] : [sql`${time} >= ${bind(from)}`]),
    ...(to === undefined ? [] : [sql`${time} < ${bind(to)}`]),
  ];
}
