import { QueryRefusal } from "./fault.ts";
import { boundValue, isDate } from "./literal.ts";
import { misplaced, Names } from "./names.ts";
import {
  type Aggregate,
  type Having,
  type PlannedItem,
  type QueryPlan,
  type QueryPredicate,
  type Scalar,
  sameScalar,
  type Target,
  type ValueType,
} from "./plan.ts";
import type { Condition, Expression, Query } from "./syntax.ts";
import { TimeZone } from "./time-zone.ts";

const DEFAULT_LIMIT = 1_000;
const MOST_ROWS = 10_000;
const LONGEST_PATTERN = 200;
const MOST_WILDCARDS = 6;

/** Resolves names and types literals. Throws `QueryRefusal` where something does not fit. */
export function queryPlanOf(query: Query, text: string): QueryPlan {
  return new Planner(query, text).plan();
}

class Planner {
  readonly #query: Query;
  readonly #text: string;
  readonly #names: Names;
  readonly #zone: TimeZone;
  readonly #grouped: boolean;
  readonly #scalars: Scalar[] = [];
  readonly #aggregates: Aggregate[] = [];
  readonly #items: PlannedItem[] = [];
  readonly #notes = new Set<string>();

  constructor(query: Query, text: string) {
    this.#query = query;
    this.#text = text;
    this.#names = new Names(query.table);
    this.#zone = query.timezone ? TimeZone.named(query.timezone.value, query.timezone) : TimeZone.utc;
    this.#grouped =
      query.groupBy.length > 0 ||
      query.having.length > 0 ||
      [...query.items, ...query.orderBy].some(({ expression }) => expression.kind === "aggregate");
  }

  plan(): QueryPlan {
    const query = this.#query;
    for (const key of query.groupBy) this.#addScalar(this.#groupKey(key));
    for (const { expression, alias } of query.items) {
      const name = alias?.text ?? this.#textOf(expression);
      this.#items.push({ name, target: this.#itemTarget(expression) });
    }
    const where = query.where.map((condition) => this.#predicate(condition));
    const having = query.having.map((condition) => this.#having(condition));
    const order = query.orderBy.map(({ expression, descending }) => ({
      target: this.#sortTarget(expression),
      descending,
    }));
    return {
      table: this.#names.table,
      explain: query.explain,
      grouped: this.#grouped,
      scalars: this.#scalars,
      aggregates: this.#aggregates,
      items: this.#items,
      where,
      having,
      order,
      limit: this.#limit(),
      limitGiven: query.limit !== undefined,
      zone: this.#zone,
      zoneGiven: query.timezone !== undefined,
      named: this.#names.named,
      notes: [...this.#notes],
    };
  }

  #groupKey(expression: Expression): Scalar {
    if (expression.kind === "aggregate") {
      throw misplaced(
        expression,
        "an aggregate cannot be grouped by",
        "HAVING filters groups",
        this.#textOf(expression),
      );
    }
    const meant = this.#itemMeant(expression, { aliasFirst: false });
    if (meant.kind === "aggregate") {
      throw misplaced(
        expression,
        "this item is an aggregate",
        "group by columns, tags or buckets",
        this.#textOf(meant),
      );
    }
    return this.#names.scalar(meant);
  }

  #itemTarget(expression: Expression): Target {
    if (expression.kind === "position") {
      throw new QueryRefusal("query_syntax", "an item is a column, tag, bucket or aggregate", expression, {
        found: this.#textOf(expression),
      });
    }
    if (expression.kind === "aggregate") return this.#addAggregate(this.#names.aggregate(expression));
    return this.#scalarTarget(this.#names.scalar(expression), expression);
  }

  #sortTarget(expression: Expression): Target {
    const meant = this.#itemMeant(expression, { aliasFirst: true });
    if (meant.kind === "aggregate") return this.#addAggregate(this.#names.aggregate(meant));
    return this.#scalarTarget(this.#names.scalar(meant), expression);
  }

  #scalarTarget(scalar: Scalar, span: Expression): Target {
    if (!this.#grouped) return this.#addScalar(scalar);
    const index = this.#scalars.findIndex((key) => sameScalar(key, scalar));
    if (index >= 0) return { scalar: index };
    throw misplaced(
      span,
      "this is neither grouped by nor inside an aggregate",
      `add GROUP BY ${this.#textOf(span).slice(0, 60)}`,
      this.#textOf(span),
    );
  }

  /** Resolves a position or an alias to its item. */
  #itemMeant(
    expression: Expression,
    { aliasFirst }: { readonly aliasFirst: boolean },
  ): Exclude<Expression, { kind: "position" }> {
    const { items } = this.#query;
    if (expression.kind === "position") {
      const meant = items[expression.value - 1]?.expression;
      if (meant && meant.kind !== "position") return meant;
      throw new QueryRefusal("query_column", `there is no item ${expression.value}`, expression, {
        expected: items.map((_, index) => String(index + 1)),
        found: String(expression.value),
      });
    }
    if (expression.kind !== "name") return expression;
    if (!aliasFirst && this.#names.has(expression.name)) return expression;
    const aliased = items.find(({ alias }) => alias?.text.toLowerCase() === expression.name)?.expression;
    return aliased && aliased.kind !== "position" ? aliased : expression;
  }

  #predicate(condition: Condition): QueryPredicate {
    const { left } = condition;
    if (left.kind === "aggregate") {
      throw misplaced(left, "WHERE chooses rows and knows no aggregates", "use HAVING", this.#textOf(left));
    }
    if (left.kind === "position" || left.kind === "bucket") {
      const hint = left.kind === "bucket" ? "compare the time itself: ts >= '2026-07-01'" : undefined;
      throw new QueryRefusal("query_syntax", "a condition begins with a column or a tag", left, {
        expected: ["a column", "tag.<name>"],
        found: this.#textOf(left),
        hint,
      });
    }
    const scalar = this.#names.scalar(left);
    this.#noteBetween(condition, scalar);
    return { left: scalar, operator: condition.operator, values: this.#values(condition, scalar.type) };
  }

  #having(condition: Condition): Having {
    const meant = this.#itemMeant(condition.left, { aliasFirst: true });
    if (meant.kind !== "aggregate") {
      throw misplaced(condition.left, "HAVING compares an aggregate", "use WHERE for rows", this.#textOf(meant));
    }
    const aggregate = this.#names.aggregate(meant);
    const { aggregate: index } = this.#addAggregate(aggregate);
    return { aggregate: index, operator: condition.operator, values: this.#values(condition, aggregate.type) };
  }

  #values({ operator, values, ...span }: Condition, type: ValueType): QueryPlan["where"][number]["values"] {
    if (operator === "like" || operator === "not like") {
      const [pattern] = values;
      const wildcards = pattern?.kind === "text" ? pattern.value.split("%").length - 1 : 0;
      if (type !== "text") throw new QueryRefusal("query_type", "LIKE compares texts", span, { expected: ["="] });
      if (pattern?.kind === "text" && (pattern.value.length > LONGEST_PATTERN || wildcards > MOST_WILDCARDS)) {
        const message = `a pattern has up to ${LONGEST_PATTERN} characters and ${MOST_WILDCARDS} times %`;
        throw new QueryRefusal("query_limit", message, pattern);
      }
    }
    if (type === "boolean" && ["<", "<=", ">", ">="].includes(operator)) {
      throw new QueryRefusal("query_type", "TRUE and FALSE have no order", span, { expected: ["=", "!="] });
    }
    return values.map((literal) => boundValue(literal, type, this.#zone));
  }

  #noteBetween({ between, operator, values }: Condition, scalar: Scalar): void {
    const [last] = values;
    if (!between || operator !== "<=" || scalar.type !== "time" || !last || !isDate(last)) return;
    this.#notes.add("BETWEEN ends with the first moment of its last date; write ts < '…' with the day after it");
  }

  #addScalar(scalar: Scalar): { readonly scalar: number } {
    const known = this.#scalars.findIndex((one) => sameScalar(one, scalar));
    return { scalar: known >= 0 ? known : this.#scalars.push(scalar) - 1 };
  }

  #addAggregate(aggregate: Aggregate): { readonly aggregate: number } {
    const text = JSON.stringify(aggregate);
    const known = this.#aggregates.findIndex((one) => JSON.stringify(one) === text);
    return { aggregate: known >= 0 ? known : this.#aggregates.push(aggregate) - 1 };
  }

  #limit(): number {
    const { limit } = this.#query;
    if (!limit) return DEFAULT_LIMIT;
    if (limit.value >= 1 && limit.value <= MOST_ROWS) return limit.value;
    throw new QueryRefusal("query_limit", `LIMIT is a number from 1 to ${MOST_ROWS}`, limit, {
      expected: [`1 to ${MOST_ROWS}`],
      found: String(limit.value),
    });
  }

  #textOf({ position, length }: Expression): string {
    return this.#text.slice(position, position + length).replace(/\s+/g, " ");
  }
}
