/** The syntax tree of a query, before names are resolved. */
import type { Span } from "./fault.ts";

export const BUCKET_UNITS = ["hour", "day", "week", "month"] as const;
export type BucketUnit = (typeof BUCKET_UNITS)[number];

export const AGGREGATE_FUNCTIONS = [
  "count",
  "sum",
  "avg",
  "min",
  "max",
  "p50",
  "p95",
  "p99",
  "conformance_rate",
] as const;
export type AggregateFunction = (typeof AGGREGATE_FUNCTIONS)[number];

export const COMPARISONS = ["=", "!=", "<", "<=", ">", ">="] as const;
type Comparison = (typeof COMPARISONS)[number];
export type Operator = Comparison | "in" | "not in" | "like" | "not like" | "is null" | "is not null";

export type Word = Span & { readonly text: string };

export type Expression =
  /** A column or, in ORDER BY, HAVING and GROUP BY, an alias. */
  | (Span & { readonly kind: "name"; readonly name: string; readonly text: string })
  | (Span & { readonly kind: "tag"; readonly name: string })
  | (Span & { readonly kind: "bucket"; readonly unit: BucketUnit; readonly column: Word })
  | (Span & {
      readonly kind: "aggregate";
      readonly function: AggregateFunction;
      readonly distinct: boolean;
      /** Absent = every row. */
      readonly column?: Word | undefined;
    })
  /** Position in the list of items, from 1. */
  | (Span & { readonly kind: "position"; readonly value: number });

export type Literal = Span &
  (
    | { readonly kind: "text"; readonly value: string }
    /** As written, because an amount of money is exact. */
    | { readonly kind: "number"; readonly text: string }
    | { readonly kind: "boolean"; readonly value: boolean }
  );

export interface Item {
  readonly expression: Expression;
  readonly alias?: Word | undefined;
}

/** BETWEEN becomes two comparisons. */
export interface Condition extends Span {
  readonly left: Expression;
  readonly operator: Operator;
  readonly values: readonly Literal[];
  readonly between: boolean;
}

export interface SortKey {
  readonly expression: Expression;
  readonly descending: boolean;
}

export interface Query {
  readonly explain: boolean;
  readonly items: readonly Item[];
  readonly table: Word;
  readonly where: readonly Condition[];
  readonly groupBy: readonly Expression[];
  readonly having: readonly Condition[];
  readonly orderBy: readonly SortKey[];
  readonly limit?: (Span & { readonly value: number }) | undefined;
  readonly timezone?: (Span & { readonly value: string }) | undefined;
}
