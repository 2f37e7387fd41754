/** Builds the statement that answers a plan from the rows themselves. */

import { type QueryPlan, type Scalar, sameScalar } from "../../query/plan.ts";
import type { OffsetPeriod } from "../../query/time-zone.ts";
import { allOf, type Fragment, listed, numbered, sql } from "../database/fragment.ts";
import { type Access, tagValue } from "../database/row-scope.ts";
import { bucketSql } from "./bucket.ts";
import {
  comparison,
  end,
  groupBy,
  groupedColumns,
  groupedEnd,
  havingOf,
  type Layout,
  type Percent,
  type Sums,
  sorted,
} from "./select.ts";
import { sourceOf, type TableSource, visibleRows } from "./table-sources.ts";

export interface Compiled {
  readonly statement: Fragment;
  readonly layout: Layout;
}

export function rowsStatement(plan: QueryPlan, access: Access, periods: readonly OffsetPeriod[]): Compiled {
  const table = sourceOf(plan.table.name);
  const source = sql`FROM ${table.from} WHERE ${allOf([...visibleRows(table, access), ...conditions(plan, periods)])}`;
  const value = (scalar: Scalar): Fragment => rowValue(table, scalar, periods);
  if (!plan.grouped) return listing(plan, table, source, value);
  if (plan.aggregates.some(({ function: name }) => name in PERCENT)) return ranked(plan, table, source, value);
  return grouped(plan, plan.scalars.map(value), source, rowSums(value));
}

/** Returns the SQL of a scalar for a row of the table. */
export function rowValue(table: TableSource, scalar: Scalar, periods: readonly OffsetPeriod[]): Fragment {
  if (scalar.kind === "tag") return tagValue(table.tags, scalar.tag);
  const column = table.columns[scalar.column] ?? sql`NULL`;
  return scalar.kind === "bucket" ? bucketSql(scalar.unit, column, periods) : column;
}

/** Returns the query's conditions, and those that apply unless the query names the column. */
export function conditions(
  { table: { name }, where, named }: QueryPlan,
  periods: readonly OffsetPeriod[],
): readonly Fragment[] {
  const table = sourceOf(name);
  return [
    ...Object.entries(table.leftOut).flatMap(([column, keep]) => (named.has(column) ? [] : [keep])),
    ...where.map(({ left, operator, values }) => comparison(rowValue(table, left, periods), operator, values)),
  ];
}

function listing(plan: QueryPlan, table: TableSource, source: Fragment, value: (scalar: Scalar) => Fragment): Compiled {
  const columns = plan.scalars.map((scalar, index) => sql`${value(scalar)} AS ${numbered("c", index)}`);
  const said = plan.order.map(({ target, descending }) =>
    sorted(numbered("c", "scalar" in target ? target.scalar : 0), descending),
  );
  const order = said.length === 0 ? [table.newestFirst] : [...said, table.tieBreak];
  return {
    statement: sql`SELECT ${listed(columns)} ${source}${end(order, plan)}`,
    layout: {
      scalars: plan.scalars.map((_, index) => index),
      aggregates: [],
      counts: new Map(),
      unpriced: undefined,
      simulated: undefined,
    },
  };
}

function grouped(plan: QueryPlan, keys: readonly Fragment[], source: Fragment, sums: Sums): Compiled {
  const { columns, layout } = groupedColumns(plan, keys, sums);
  const having = havingOf(plan, layout);
  const filter = having.length === 0 ? sql`` : sql` HAVING ${allOf(having)}`;
  return {
    statement: sql`SELECT ${listed(columns)} ${source}${groupBy(keys)}${filter}${groupedEnd(plan, layout)}`,
    layout,
  };
}

export function rowSums(value: (scalar: Scalar) => Fragment): Sums {
  return {
    count: (of) => (of ? sql`count(${value(of)})` : sql`count(*)`),
    sum: (of) => sql`sum(${value(of)})`,
    min: (of) => sql`min(${value(of)})`,
    max: (of) => sql`max(${value(of)})`,
    distinct: (of) => sql`count(DISTINCT ${value(of)})`,
    percentile: () => {
      throw new Error("a percentile needs ranks");
    },
  };
}

const PERCENT = { p50: sql`50`, p95: sql`95`, p99: sql`99` } as const;

/** The engine numbers each group's values in order; a percentile is read at its rank. */
function ranked(plan: QueryPlan, table: TableSource, source: Fragment, value: (scalar: Scalar) => Fragment): Compiled {
  const keys = plan.scalars.map((_, index) => numbered("k", index));
  const needed: Scalar[] = [];
  const at = (scalar: Scalar): number => {
    const known = needed.findIndex((one) => sameScalar(one, scalar));
    return known >= 0 ? known : needed.push(scalar) - 1;
  };
  const partition = keys.length === 0 ? sql`` : sql`PARTITION BY ${listed(plan.scalars.map(value))}`;
  const within = keys.length === 0 ? sql`` : sql`${partition} `;
  const sums: Sums = {
    ...rowSums((scalar) => numbered("v", at(scalar))),
    percentile: (of, p) => percentileSql(at(of), p),
  };
  const { columns, layout } = groupedColumns(plan, keys, sums);
  const ranks = new Set(plan.aggregates.flatMap(({ of, function: name }) => (of && name in PERCENT ? [at(of)] : [])));
  const inner = [
    ...plan.scalars.map((scalar, index) => sql`${value(scalar)} AS ${numbered("k", index)}`),
    ...needed.map((scalar, index) => sql`${value(scalar)} AS ${numbered("v", index)}`),
    ...[...ranks].flatMap((index) => {
      const scalar = needed[index] ?? COUNTED;
      const of = value(scalar);
      // Plain ranks and counts are cheaper, and valid only where no value is null.
      const whole = scalar.kind === "column" && table.neverNull.has(scalar.column);
      const [order, counted] = whole ? [of, sql`*`] : [sql`${of} NULLS LAST`, of];
      return [
        sql`row_number() OVER (${within}ORDER BY ${order}) AS ${numbered("r", index)}`,
        sql`count(${counted}) OVER (${partition}) AS ${numbered("n", index)}`,
      ];
    }),
  ];
  const having = havingOf(plan, layout);
  const filter = having.length === 0 ? sql`` : sql` HAVING ${allOf(having)}`;
  return {
    statement: sql`SELECT ${listed(columns)} FROM (SELECT ${listed(inner)} ${source})${groupBy(keys)}${filter}${groupedEnd(plan, layout)}`,
    layout,
  };
}

const COUNTED: Scalar = { kind: "column", column: "ts", type: "time" };

/**
 * Linear interpolation between ranks (Hyndman & Fan 1996, type 7), as in `src/stats/percentile.ts`; nulls are ignored.
 */
function percentileSql(index: number, p: Percent): Fragment {
  const [v, r, n] = [numbered("v", index), numbered("r", index), numbered("n", index)];
  const percent = PERCENT[`p${p}`];
  const ranked = sql`(${n} - 1) * ${percent}`;
  const below = sql`max(iif(${r} = ${ranked} / 100 + 1, ${v}, NULL))`;
  const above = sql`max(iif(${r} = ${ranked} / 100 + 2, ${v}, NULL))`;
  return sql`${below} + (coalesce(${above}, ${below}) - ${below}) * ((max(${n}) - 1) * ${percent} % 100) / 100.0`;
}
