/** Decides whether hourly rollups answer a plan exactly, with the reasons where they do not. */

import type { Aggregate, QueryPlan, Scalar } from "../../query/plan.ts";
import type { OffsetPeriod } from "../../query/time-zone.ts";
import type { Access } from "../database/row-scope.ts";
import { HOUR_MS } from "../telemetry/stale-hours.ts";
import { boundOf, rangeOf } from "./range.ts";
import { KNOWN_SUMS, type KnownSums, ROUTE_KEYS, TAG_KEYS } from "./rollup-columns.ts";

export interface RollupChoice {
  /** Requested range of time. */
  readonly from: number | undefined;
  readonly to: number | undefined;
  /** The whole hours in that range. */
  readonly firstHour: number | undefined;
  readonly lastHour: number | undefined;
  /** The one requested tag; absent = none. */
  readonly tag?: string | undefined;
  /** True when the answer includes rows without the tag, as a group or through IS NULL. */
  readonly untagged: boolean;
}

/** The choice, or the reasons against it. */
export function rollupChoice(
  plan: QueryPlan,
  access: Access,
  periods: readonly OffsetPeriod[],
): RollupChoice | readonly string[] {
  if (plan.table.name !== "inferences") return [`there are rollups of inferences, not of ${plan.table.name}`];
  if (!plan.grouped) return ["single rows are asked for"];
  const tags = tagsOf(plan, access);
  const [tag] = tags;
  const untagged = tag !== undefined && !rejectsUntagged(plan, access, tag);
  const { from, to } = rangeOf(plan);
  const firstHour = from === undefined ? undefined : Math.ceil(from / HOUR_MS) * HOUR_MS;
  const lastHour = to === undefined ? undefined : Math.floor(to / HOUR_MS) * HOUR_MS;
  const why = new Set<string>();
  if (tags.length > 1) why.add("more than one tag is asked for");
  if (firstHour !== undefined && lastHour !== undefined && firstHour >= lastHour)
    why.add("the range of time holds no whole hour");
  for (const scalar of plan.scalars) addReason(why, scalar, tag, periods);
  for (const predicate of plan.where) if (!boundOf(predicate)) addReason(why, predicate.left, tag, periods);
  for (const aggregate of plan.aggregates) addAggregateReason(why, aggregate, untagged);
  return why.size > 0 ? [...why] : { from, to, firstHour, lastHour, tag, untagged };
}

function tagsOf({ scalars, where }: QueryPlan, { rowScope }: Access): readonly string[] {
  const named = [...scalars, ...where.map(({ left }) => left)].flatMap((one) => (one.kind === "tag" ? [one.tag] : []));
  return [...new Set([...named, ...Object.keys(rowScope?.tags ?? {})])];
}

function rejectsUntagged({ where }: QueryPlan, { rowScope }: Access, tag: string): boolean {
  if (rowScope) return true;
  return where.some(({ left, operator }) => left.kind === "tag" && left.tag === tag && operator !== "is null");
}

function addReason(why: Set<string>, scalar: Scalar, tag: string | undefined, periods: readonly OffsetPeriod[]): void {
  if (scalar.kind === "tag") return;
  if (scalar.kind === "bucket") {
    if (scalar.column !== "ts") why.add(`rollups are made by ts, not by ${scalar.column}`);
    if (periods.some(({ offset }) => offset % HOUR_MS !== 0)) why.add("the time zone is not whole hours from UTC");
    return;
  }
  if (!Object.hasOwn(ROUTE_KEYS, scalar.column)) why.add(`rollups are not made by ${scalar.column}`);
  else if (tag !== undefined && !Object.hasOwn(TAG_KEYS, scalar.column))
    why.add(`rollups of a tag are not made by ${scalar.column}`);
}

function addAggregateReason(why: Set<string>, aggregate: Aggregate, untagged: boolean): void {
  const { function: name, of, distinct } = aggregate;
  if (!of) return;
  const known: KnownSums | undefined =
    of.kind === "column" && Object.hasOwn(KNOWN_SUMS, of.column) ? KNOWN_SUMS[of.column] : undefined;
  const what = of.kind === "column" ? of.column : "a tag";
  const figure = FIGURES[name];
  if (distinct) why.add("distinct values are counted in the rows");
  else if (!figure) why.add(`${name} needs every value`);
  else if (!known?.[figure]) why.add(`rollups do not know ${name}(${what})`);
  else if (untagged && (figure === "min" || figure === "max"))
    why.add(`${name} of the rows without the tag is not known; add tag.<name> IS NOT NULL`);
}

const FIGURES: Readonly<Record<Aggregate["function"], keyof KnownSums | undefined>> = {
  count: "count",
  sum: "sum",
  avg: "sum",
  conformance_rate: "sum",
  min: "min",
  max: "max",
  p50: undefined,
  p95: undefined,
  p99: undefined,
};
