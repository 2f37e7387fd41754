/** Parts common to statements over rows and over rollups. */

import type { Aggregate, Bound, QueryPlan, Scalar, Target } from "../../query/plan.ts";
import type { Operator } from "../../query/syntax.ts";
import { bind, type Fragment, listed, numbered, sql } from "../database/fragment.ts";

/** How sums over a group are obtained from what a statement reads. */
export interface Sums {
  count(of?: Scalar): Fragment;
  sum(of: Scalar): Fragment;
  min(of: Scalar): Fragment;
  max(of: Scalar): Fragment;
  distinct(of: Scalar): Fragment;
  /** `p` in percent. */
  percentile(of: Scalar, p: Percent): Fragment;
}

export type Percent = 50 | 95 | 99;

/** Positions of values in the engine's rows. */
export interface Layout {
  readonly scalars: readonly number[];
  readonly aggregates: readonly number[];
  /** For a conformance rate: the numbers of passed and of all, by the aggregate's index. */
  readonly counts: ReadonlyMap<number, { readonly passed: number; readonly of: number }>;
  readonly unpriced: number | undefined;
  readonly simulated: number | undefined;
}

const CONFORMANT: Scalar = { kind: "column", column: "conformant", type: "boolean" };
const SIMULATED: Scalar = { kind: "column", column: "simulated", type: "boolean" };
const COST: Scalar = { kind: "column", column: "cost", type: "usd" };

/** Returns the list after SELECT of grouped rows: keys, aggregates, and figures for the notes. */
export function groupedColumns(
  plan: QueryPlan,
  keys: readonly Fragment[],
  sums: Sums,
): { readonly columns: readonly Fragment[]; readonly layout: Layout } {
  const columns: Fragment[] = [];
  const add = (column: Fragment): number => {
    const at = columns.length;
    columns.push(sql`${column} AS ${numbered("c", at)}`);
    return at;
  };
  const scalars = keys.map(add);
  const aggregates = plan.aggregates.map((aggregate) => add(aggregateSql(aggregate, sums)));
  const counts = new Map<number, { passed: number; of: number }>();
  for (const [index, { function: name }] of plan.aggregates.entries()) {
    if (name === "conformance_rate")
      counts.set(index, { passed: add(sums.sum(CONFORMANT)), of: add(sums.count(CONFORMANT)) });
  }
  const money = plan.aggregates.some(({ of, function: name }) => of?.type === "usd" && name !== "count");
  const unpriced = money ? add(sql`${sums.count()} - ${sums.count(COST)}`) : undefined;
  const simulated = "simulated" in plan.table.columns ? add(sums.sum(SIMULATED)) : undefined;
  return { columns, layout: { scalars, aggregates, counts, unpriced, simulated } };
}

function aggregateSql({ function: name, of, distinct }: Aggregate, sums: Sums): Fragment {
  if (!of) return sums.count();
  switch (name) {
    case "count":
      return distinct ? sums.distinct(of) : sums.count(of);
    case "sum":
      return sums.sum(of);
    case "min":
      return sums.min(of);
    case "max":
      return sums.max(of);
    case "avg":
    case "conformance_rate":
      return sql`CAST(${sums.sum(of)} AS REAL) / ${sums.count(of)}`;
    case "p50":
      return sums.percentile(of, 50);
    case "p95":
      return sums.percentile(of, 95);
    case "p99":
      return sums.percentile(of, 99);
  }
}

/** Returns `GROUP BY 1, …`: the keys are first in the list. */
export function groupBy(keys: readonly unknown[]): Fragment {
  return keys.length === 0 ? sql`` : sql` GROUP BY ${listed(keys.map((_, index) => ORDINALS[index] ?? sql`1`))}`;
}

const ORDINALS = [sql`1`, sql`2`, sql`3`, sql`4`, sql`5`, sql`6`, sql`7`, sql`8`] as const;

export function havingOf(plan: QueryPlan, layout: Layout): readonly Fragment[] {
  return plan.having.map(({ aggregate, operator, values }) =>
    comparison(numbered("c", layout.aggregates[aggregate] ?? 0), operator, values),
  );
}

/** Returns ORDER BY and LIMIT of groups: the query's order, then the keys, so that the order is always the same. */
export function groupedEnd(plan: QueryPlan, layout: Layout): Fragment {
  const said = plan.order.map(({ target, descending }) => sorted(columnOf(target, layout), descending));
  const rest = layout.scalars
    .filter((_, index) => !plan.order.some(({ target }) => "scalar" in target && target.scalar === index))
    .map((at) => numbered("c", at));
  return end([...said, ...rest], plan);
}

/** One row more than requested shows whether there are more. */
export function end(order: readonly Fragment[], { limit }: QueryPlan): Fragment {
  const by = order.length === 0 ? sql`` : sql` ORDER BY ${listed(order)}`;
  return sql`${by} LIMIT ${bind(limit + 1)}`;
}

export function sorted(column: Fragment, descending: boolean): Fragment {
  return descending ? sql`${column} DESC` : column;
}

function columnOf(target: Target, { scalars, aggregates }: Layout): Fragment {
  return numbered("c", ("scalar" in target ? scalars[target.scalar] : aggregates[target.aggregate]) ?? 0);
}

const OPERATORS: Readonly<Record<Exclude<Operator, "in" | "not in" | "is null" | "is not null">, Fragment>> = {
  "=": sql`=`,
  "!=": sql`!=`,
  "<": sql`<`,
  "<=": sql`<=`,
  ">": sql`>`,
  ">=": sql`>=`,
  like: sql`LIKE`,
  "not like": sql`NOT LIKE`,
};

export function comparison(left: Fragment, operator: Operator, values: readonly Bound[]): Fragment {
  switch (operator) {
    case "is null":
      return sql`${left} IS NULL`;
    case "is not null":
      return sql`${left} IS NOT NULL`;
    case "in":
      return sql`${left} IN (${listed(values.map(bind))})`;
    case "not in":
      return sql`${left} NOT IN (${listed(values.map(bind))})`;
    default:
      return sql`${left} ${OPERATORS[operator]} ${bind(values[0] ?? null)}`;
  }
}
