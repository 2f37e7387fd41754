/** A query with resolved names and typed literals, from which statements are made. */
import type { AggregateFunction, BucketUnit, Operator } from "./syntax.ts";
import type { ColumnType, Table } from "./tables.ts";
import type { TimeZone } from "./time-zone.ts";

/** `date` is the text of a day, week or month. */
export type ValueType = ColumnType | "date";

/** A value in its stored form: nano-dollars, epoch milliseconds, 0 and 1. */
export type Bound = string | number | null;

/** A value of one row. */
export type Scalar =
  | { readonly kind: "column"; readonly column: string; readonly type: ColumnType }
  | { readonly kind: "tag"; readonly tag: string; readonly type: "text" }
  | {
      readonly kind: "bucket";
      readonly unit: BucketUnit;
      readonly column: string;
      readonly type: "time" | "date";
    };

export interface Aggregate {
  readonly function: AggregateFunction;
  readonly distinct: boolean;
  /** Absent = every row. */
  readonly of?: Scalar | undefined;
  readonly type: ValueType;
}

/** Index into the plan's scalars or aggregates. */
export type Target = { readonly scalar: number } | { readonly aggregate: number };

export interface PlannedItem {
  readonly name: string;
  readonly target: Target;
}

export interface QueryPredicate {
  readonly left: Scalar;
  readonly operator: Operator;
  readonly values: readonly Bound[];
}

export interface Having {
  readonly aggregate: number;
  readonly operator: Operator;
  readonly values: readonly Bound[];
}

export interface QueryPlan {
  readonly table: Table;
  readonly explain: boolean;
  /** True when rows are counted together; false when each row is returned. */
  readonly grouped: boolean;
  /** Grouped: the keys of the groups. Otherwise: every value that is selected or sorted by. */
  readonly scalars: readonly Scalar[];
  readonly aggregates: readonly Aggregate[];
  readonly items: readonly PlannedItem[];
  readonly where: readonly QueryPredicate[];
  readonly having: readonly Having[];
  readonly order: readonly { readonly target: Target; readonly descending: boolean }[];
  readonly limit: number;
  readonly limitGiven: boolean;
  readonly zone: TimeZone;
  readonly zoneGiven: boolean;
  /** Columns that the query names anywhere. */
  readonly named: ReadonlySet<string>;
  readonly notes: readonly string[];
}

export function sameScalar(one: Scalar, other: Scalar): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
