import type { QueryPlan, QueryPredicate } from "../../query/plan.ts";

/** Instants from `from` on and before `to`, epoch milliseconds; absent = without end. */
interface Range {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** Returns the range of time that a condition leaves, where it bounds the time of the rows. */
export function boundOf({ left, operator, values }: QueryPredicate): Range | undefined {
  if (left.kind !== "column" || left.column !== "ts") return undefined;
  const [value] = values;
  if (typeof value !== "number") return undefined;
  switch (operator) {
    case ">=":
      return { from: value };
    case ">":
      return { from: value + 1 };
    case "<":
      return { to: value };
    case "<=":
      return { to: value + 1 };
    case "=":
      return { from: value, to: value + 1 };
    default:
      return undefined;
  }
}

/** Returns the range of time that all conditions leave. */
export function rangeOf({ where }: QueryPlan): Range {
  return where
    .map(boundOf)
    .filter((bound) => bound !== undefined)
    .reduce(
      (range, bound) => ({
        from: bound.from === undefined ? range.from : Math.max(bound.from, range.from ?? bound.from),
        to: bound.to === undefined ? range.to : Math.min(bound.to, range.to ?? bound.to),
      }),
      {},
    );
}
