/** Converts the rows of a compiled query to its answer. */
import type { QueryAnswer, QueryExplanation } from "../../query/answer.ts";
import type { QueryPlan, Scalar, ValueType } from "../../query/plan.ts";
import type { TimeZone } from "../../query/time-zone.ts";
import { wilson } from "../../stats/wilson.ts";
import { bucketText, instantText } from "./bucket.ts";
import type { CompiledQuery } from "./compile.ts";
import type { Cell, ResultRows } from "./query-runner.ts";
import { rangeOf } from "./range.ts";

type Value = QueryAnswer["rows"][number][number];

export function answerOf(
  query: CompiledQuery,
  [found = [], retention = []]: readonly ResultRows[],
  ms: number,
): QueryAnswer {
  const { plan, source } = query;
  const rows = found.slice(0, plan.limit);
  const truncated = found.length > plan.limit;
  const readers = readersOf(query);
  return {
    columns: columnsOf(plan),
    rows: rows.map((row) => readers.flatMap((read) => read(row))),
    row_count: rows.length,
    truncated,
    limit: plan.limit,
    timezone: plan.zone.name,
    source,
    notes: [...plannedNotes(plan), ...foundNotes(query, rows, truncated), ...retentionNotes(query, retention[0])],
    elapsed_ms: ms,
  };
}

export function explanationOf({ plan, statement, source, why }: CompiledQuery): QueryExplanation {
  return {
    explain: {
      source,
      why_not_rollups: [...why],
      sql: statement.sql.replace(/\s+/g, " "),
      args: [...statement.args],
      columns: columnsOf(plan),
      timezone: plan.zone.name,
      limit: plan.limit,
      notes: plannedNotes(plan),
    },
  };
}

/** A conformance rate comes with its counts and its interval. */
const RATE_COLUMNS = [
  ["k", "integer"],
  ["n", "integer"],
  ["low", "number"],
  ["high", "number"],
] as const;

function columnsOf({ items, scalars, aggregates }: QueryPlan): QueryAnswer["columns"] {
  return items.flatMap(({ name, target }) => {
    if ("scalar" in target) return [{ name, type: scalars[target.scalar]?.type ?? "text" }];
    const aggregate = aggregates[target.aggregate];
    const own = { name, type: aggregate?.type ?? "number" };
    if (aggregate?.function !== "conformance_rate") return [own];
    const stem = name.replace(/\(.*\)$/, "");
    return [own, ...RATE_COLUMNS.map(([suffix, type]) => ({ name: `${stem}_${suffix}`, type }))];
  });
}

type Reader = (row: readonly Cell[]) => readonly Value[];

function readersOf({ plan, layout }: CompiledQuery): readonly Reader[] {
  return plan.items.map(({ target }): Reader => {
    if ("scalar" in target) {
      const at = layout.scalars[target.scalar] ?? 0;
      const scalar = plan.scalars[target.scalar];
      return (row) => [scalarValue(row[at] ?? null, scalar, plan.zone)];
    }
    const counts = layout.counts.get(target.aggregate);
    if (counts) return (row) => rateValues(row[counts.passed] ?? null, row[counts.of] ?? null);
    const at = layout.aggregates[target.aggregate] ?? 0;
    const type = plan.aggregates[target.aggregate]?.type ?? "number";
    return (row) => [cellValue(row[at] ?? null, type, plan.zone)];
  });
}

function scalarValue(cell: Cell, scalar: Scalar | undefined, zone: TimeZone): Value {
  if (cell === null || !scalar) return null;
  return scalar.kind === "bucket" ? bucketText(scalar.unit, cell, zone) : cellValue(cell, scalar.type, zone);
}

function cellValue(cell: Cell, type: ValueType, zone: TimeZone): Value {
  if (cell === null) return null;
  switch (type) {
    case "usd":
      return usdText(typeof cell === "bigint" ? cell : BigInt(Math.round(Number(cell))));
    case "boolean":
      return Number(cell) !== 0;
    case "time":
      return instantText(Number(cell), zone);
    case "integer":
    case "number":
      return numberOf(cell);
    default:
      return String(cell);
  }
}

/** A whole number too large to be exact in JSON is written as text. */
function numberOf(cell: Exclude<Cell, null>): number | string {
  const value = Number(cell);
  return typeof cell === "bigint" && !Number.isSafeInteger(value) ? cell.toString() : value;
}

/** Converts nano-dollars to dollars exactly; sums may be larger than a safe integer. */
function usdText(nano: bigint): string {
  const digits = (nano < 0n ? -nano : nano).toString().padStart(10, "0");
  return `${nano < 0n ? "-" : ""}${digits.slice(0, -9)}.${digits.slice(-9)}`;
}

function rateValues(passed: Cell, of: Cell): readonly Value[] {
  const [k, n] = [Number(passed ?? 0), Number(of ?? 0)];
  const interval = wilson(k, n);
  return [n === 0 ? null : k / n, k, n, interval?.low ?? null, interval?.high ?? null];
}

function plannedNotes({ table, named, notes, zoneGiven, zone, scalars, where }: QueryPlan): string[] {
  const timed = [...scalars, ...where.map(({ left }) => left)].some(({ type }) => type === "time" || type === "date");
  return [
    ...table.leftOut.filter(({ unlessNamed }) => !named.has(unlessNamed)).map(({ note }) => note),
    ...(timed && !zoneGiven ? [`times are ${zone.name}; add TIMEZONE 'Area/City' for another zone`] : []),
    ...notes,
  ];
}

function foundNotes({ plan, layout }: CompiledQuery, rows: ResultRows, truncated: boolean): string[] {
  const total = (at: number | undefined): bigint =>
    at === undefined ? 0n : rows.reduce((sum, row) => sum + BigInt(row[at] ?? 0), 0n);
  const [unpriced, simulated] = [total(layout.unpriced), total(layout.simulated)];
  const { name } = plan.table;
  return [
    ...(unpriced > 0n ? [`unpriced: ${unpriced} ${name} of unknown cost are in no figure of cost`] : []),
    ...(simulated > 0n ? [`${simulated} of the ${name} counted are simulated`] : []),
    ...(truncated && !plan.limitGiven
      ? [`there are more than ${plan.limit} rows; add LIMIT, or narrow the query`]
      : []),
  ];
}

function retentionNotes({ plan, source }: CompiledQuery, cells: readonly Cell[] | undefined): string[] {
  const [mark, lost] = [Number(cells?.[0] ?? 0), Number(cells?.[1] ?? 0)];
  const { from = 0 } = rangeOf(plan);
  if (mark <= from) return [];
  const when = new Date(mark).toISOString();
  if (source === "rows") return [`rows before ${when} are past retention and in no figure of this query`];
  return [
    ...(from % 3_600_000 === 0 ? [] : [`of hours cut by the query's first moment, rows before ${when} are gone`]),
    ...(lost > 0 ? [`in ${lost} hours before ${when} the tag had too many values to be kept; they are left out`] : []),
  ];
}
