import { didYouMean, QueryRefusal, type Span } from "./fault.ts";
import { columnAdvice } from "./near-miss.ts";
import type { Aggregate, Scalar, ValueType } from "./plan.ts";
import { AGGREGATE_FUNCTIONS, type Expression, type Word } from "./syntax.ts";
import { type ColumnType, TABLES, type Table, tableNamed } from "./tables.ts";

type AggregateExpression = Extract<Expression, { kind: "aggregate" }>;
type Value = Exclude<Expression, { kind: "aggregate" } | { kind: "position" }>;

/** Resolves the words of a query, and records which columns were named. */
export class Names {
  readonly table: Table;
  readonly named = new Set<string>();

  constructor(word: Word) {
    const table = tableNamed(word.text);
    if (!table) {
      const known = Object.keys(TABLES);
      throw new QueryRefusal("query_table", `there is no table ${word.text}`, word, {
        expected: known,
        found: word.text,
        hint: didYouMean(word.text, known) ?? `there are ${known.join(", ")}`,
      });
    }
    this.table = table;
  }

  has(column: string): boolean {
    return Object.hasOwn(this.table.columns, column);
  }

  scalar(expression: Value): Scalar {
    switch (expression.kind) {
      case "tag":
        return { kind: "tag", tag: expression.name, type: "text" };
      case "bucket": {
        const { unit, column } = expression;
        const [name, type] = this.#column(column);
        if (type !== "time")
          throw wrongType(column, `${unit}() takes a time, not ${column.text}`, this.#ofType("time"));
        return { kind: "bucket", unit, column: name, type: unit === "hour" ? "time" : "date" };
      }
      case "name": {
        const [column, type] = this.#column({ ...expression, text: expression.text });
        return { kind: "column", column, type };
      }
    }
  }

  aggregate(expression: AggregateExpression): Aggregate {
    const { function: name, distinct, column } = expression;
    if (name === "conformance_rate") {
      if (!this.has("conformant")) {
        throw new QueryRefusal("query_column", `${this.table.name} have no conformance`, expression, {
          expected: AGGREGATE_FUNCTIONS.filter((one) => one !== name),
          found: name,
          hint: "ask it of inferences",
        });
      }
      return {
        function: name,
        distinct,
        of: { kind: "column", column: "conformant", type: "boolean" },
        type: "number",
      };
    }
    if (!column) return { function: name, distinct, type: "integer" };
    const of = this.#argument(column);
    const allowed = TAKES[name];
    if (!allowed.includes(of.type)) {
      throw wrongType(column, `${name}() cannot take ${column.text}, which is ${of.type}`, this.#ofType(...allowed));
    }
    return { function: name, distinct, of, type: resultType(name, of.type) };
  }

  #argument(word: Word): Scalar {
    if (word.text.startsWith("tag.")) return { kind: "tag", tag: word.text.slice("tag.".length), type: "text" };
    const [column, type] = this.#column(word);
    return { kind: "column", column, type };
  }

  #column(word: Word): readonly [string, ColumnType] {
    const name = word.text.toLowerCase();
    const type = this.has(name) ? this.table.columns[name] : undefined;
    if (!type) throw noColumn(word, this.table);
    this.named.add(name);
    return [name, type];
  }

  #ofType(...types: readonly ValueType[]): readonly string[] {
    return Object.entries(this.table.columns)
      .filter(([, type]) => types.includes(type))
      .map(([name]) => name);
  }
}

const EVERY_TYPE: readonly ValueType[] = ["text", "integer", "number", "usd", "boolean", "time"];
const AMOUNTS: readonly ValueType[] = ["integer", "number", "usd"];

const TAKES: Readonly<Record<Exclude<AggregateExpression["function"], "conformance_rate">, readonly ValueType[]>> = {
  count: EVERY_TYPE,
  sum: AMOUNTS,
  avg: AMOUNTS,
  min: ["integer", "number", "usd", "time", "text"],
  max: ["integer", "number", "usd", "time", "text"],
  p50: AMOUNTS,
  p95: AMOUNTS,
  p99: AMOUNTS,
};

function resultType(name: AggregateExpression["function"], of: ValueType): ValueType {
  if (name === "count") return "integer";
  if (name === "sum" || name === "min" || name === "max") return of;
  return of === "usd" ? "usd" : "number";
}

function wrongType(span: Word, message: string, expected: readonly string[]): QueryRefusal {
  return new QueryRefusal("query_type", message, span, { expected, found: span.text });
}

function noColumn(word: Word, table: Table): QueryRefusal {
  const known = Object.keys(table.columns);
  const elsewhere = Object.values(TABLES).find(({ columns }) => Object.hasOwn(columns, word.text.toLowerCase()));
  return new QueryRefusal("query_column", `${table.name} have no column ${word.text}`, word, {
    expected: [...known, "tag.<name>"],
    found: word.text,
    hint:
      columnAdvice(word.text) ??
      didYouMean(word.text, known) ??
      (elsewhere ? `${elsewhere.name} have one` : `tags are written tag.${word.text.slice(0, 40)}`),
  });
}

export function misplaced(span: Span, message: string, hint: string, found: string): QueryRefusal {
  return new QueryRefusal("query_grouping", message, span, { found, hint });
}
