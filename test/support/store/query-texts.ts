/** Queries as people write them, queries gone wrong, and the words a statement of ours may consist of. */
import fc from "fast-check";
import { TABLES, type Table, tableNamed } from "../../../src/query/tables.ts";

/** Values that rows in tests carry, by column; anything else is found nowhere. */
export type Values = Readonly<Record<string, readonly string[]>>;

export interface QueryOptions {
  readonly tables?: readonly string[];
  readonly tags?: readonly string[];
  readonly values?: Values;
  /** Instants as ISO texts. */
  readonly times?: readonly string[];
  readonly zones?: readonly string[];
  /** Columns to choose keys and conditions from; absent = all. */
  readonly columns?: readonly string[];
  readonly aggregates?: readonly string[];
  /** Chance in 10 that rows are listed rather than grouped. */
  readonly listings?: number;
}

const TIMES = ["2026-07-26", "2026-07-26T09:30:00Z", "2026-07-01T00:00:00.123+02:00", "2026-10-25T02:30"];
const ZONES = ["UTC", "Europe/Berlin", "Asia/Kathmandu", "Australia/Lord_Howe", "America/New_York", "+03:00"];

/** A valid query, mostly. */
export function queries(options: QueryOptions = {}): fc.Arbitrary<string> {
  const names = options.tables ?? Object.keys(TABLES);
  return fc.constantFrom(...names).chain((name) => queryOf(tableNamed(name)!, options));
}

function queryOf(table: Table, options: QueryOptions): fc.Arbitrary<string> {
  const { listings = 2, tags = ["client", "team"], zones = ZONES } = options;
  const columns = Object.keys(table.columns).filter((name) => options.columns?.includes(name) ?? true);
  const tag = fc.constantFrom(...tags).map((name) => `tag.${name}`);
  const column = fc.constantFrom(...columns);
  const time = fc.constantFrom(...columns.filter((name) => table.columns[name]! === "time"));
  const bucket = fc.tuple(fc.constantFrom("hour", "day", "week", "month"), time).map(([unit, of]) => `${unit}(${of})`);
  const value = fc.oneof({ weight: 4, arbitrary: column }, { weight: 2, arbitrary: tag }, bucket);
  const shared = {
    where: fc.array(conditionOf(table, columns, tag, options), { maxLength: 3 }),
    limit: fc.option(fc.integer({ min: 1, max: 50 })),
    zone: fc.option(fc.constantFrom(...zones)),
    lane: fc.boolean(),
    seed: fc.nat(),
  };
  const list = fc
    .record({ ...shared, items: fc.uniqueArray(value, { minLength: 1, maxLength: 4 }), sorted: fc.boolean() })
    .map(({ items, sorted, ...rest }) => {
      const order = sorted ? [`ORDER BY ${(rest.seed % items.length) + 1}${rest.seed % 2 ? " DESC" : ""}`] : [];
      return sentence(table, items, rest, order);
    });
  const groups = fc
    .record({
      ...shared,
      keys: fc.uniqueArray(value, { maxLength: 3 }),
      aggregates: fc.uniqueArray(aggregateOf(table, columns, tags, options), { minLength: 1, maxLength: 4 }),
      having: fc.option(fc.nat({ max: 4 }), { freq: 4 }),
      sorted: fc.boolean(),
    })
    .map(({ keys, aggregates, having, sorted, ...rest }) => {
      const items = [...keys, ...aggregates];
      const named = items.map((item, index) => (rest.seed % 7 === index ? `${item} AS named_${index}` : item));
      const end = [
        ...(keys.length > 0
          ? [`GROUP BY ${rest.seed % 3 === 0 ? keys.map((_, i) => i + 1).join(",") : keys.join(", ")}`]
          : []),
        ...(having === null ? [] : [`HAVING count(*) > ${having}`]),
        ...(sorted ? [`ORDER BY ${(rest.seed % items.length) + 1}${rest.seed % 2 ? " desc" : " ASC"}`] : []),
      ];
      return sentence(table, named, rest, end);
    });
  return fc.oneof({ weight: listings, arbitrary: list }, { weight: 10 - listings, arbitrary: groups });
}

function sentence(
  table: Table,
  items: readonly string[],
  rest: { where: readonly string[]; limit: number | null; zone: string | null; seed: number },
  middle: readonly string[],
): string {
  return [
    `${rest.seed % 2 ? "SELECT" : "select"} ${items.join(", ")} FROM ${table.name}`,
    ...(rest.where.length > 0 ? [`WHERE ${rest.where.join(" AND ")}`] : []),
    ...middle,
    ...(rest.limit === null ? [] : [`LIMIT ${rest.limit}`]),
    ...(rest.zone === null ? [] : [`TIMEZONE '${rest.zone}'`]),
  ].join(" ");
}

function aggregateOf(
  table: Table,
  columns: readonly string[],
  tags: readonly string[],
  { aggregates }: QueryOptions,
): fc.Arbitrary<string> {
  if (aggregates) return fc.constantFrom(...aggregates);
  const amounts = columns.filter((name) => ["integer", "number", "usd"].includes(table.columns[name]!));
  const amount = fc.constantFrom(...amounts);
  const any = fc.constantFrom(...columns, ...tags.map((name) => `tag.${name}`));
  return fc.oneof(
    fc.constant("count(*)"),
    fc.constant("conformance_rate"),
    any.map((name) => `count(${name})`),
    any.map((name) => `count(DISTINCT ${name})`),
    fc
      .tuple(fc.constantFrom("sum", "avg", "min", "max", "p50", "p95", "p99"), amount)
      .map(([name, of]) => `${name}(${of})`),
  );
}

function conditionOf(
  table: Table,
  columns: readonly string[],
  tag: fc.Arbitrary<string>,
  { values = {}, times = TIMES }: QueryOptions,
): fc.Arbitrary<string> {
  const comparison = fc.constantFrom("=", "!=", "<", "<=", ">", ">=", "<>");
  const text = (name: string) => fc.constantFrom(...(values[name] ?? []), "it''s", "none", "", "%a%");
  const known = (name: string): fc.Arbitrary<string> => {
    switch (table.columns[name] ?? "text") {
      case "time": {
        const time = fc.constantFrom(...times).map((at) => `'${at}'`);
        return fc.oneof(
          fc.tuple(fc.constantFrom("<", "<=", ">", ">=", "="), time).map(([op, at]) => `${name} ${op} ${at}`),
          fc.tuple(time, time).map(([from, to]) => `${name} BETWEEN ${from} AND ${to}`),
        );
      }
      case "boolean":
        return fc.constantFrom(`${name} = TRUE`, `${name} != false`, `${name} IS NULL`);
      case "integer":
      case "number":
        return fc
          .tuple(comparison, fc.constantFrom("0", "1", "-3", "250", "0.5"))
          .map(([op, n]) => `${name} ${op} ${n}`);
      case "usd":
        return fc
          .tuple(comparison, fc.constantFrom("0", "0.0005", "1.5", "0.000000001"))
          .map(([op, n]) => `${name} ${op} ${n}`);
      default:
        return fc.oneof(
          fc.tuple(comparison, text(name)).map(([op, of]) => `${name} ${op} '${of}'`),
          fc.array(text(name), { minLength: 1, maxLength: 3 }).map((all) => `${name} IN ('${all.join("', '")}')`),
          fc.array(text(name), { minLength: 1, maxLength: 3 }).map((all) => `${name} not in ('${all.join("','")}')`),
          text(name).map((of) => `${name} LIKE '${of}%'`),
          fc.constantFrom(`${name} IS NULL`, `${name} is not null`),
        );
    }
  };
  return fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...columns).chain(known) }, tag.chain(known));
}

/** What attackers, and people in a hurry, write. */
const SPLINTERS = [
  "'", "''", '"', "`", ";", "--", "/*", "*/", "(", ")", ",", "*", "?", "?1", ":org", "@org", "$org", "\\", "\0", "\n", "%", "=",
  " OR 1=1", " OR org = 'org_b'", " UNION SELECT hash FROM api_keys", "; DROP TABLE inferences; --", "x'00'", "0x10", "1e999",
  " org ", "i.org", "tags", "tag.", "tag.client", "tag.a'b", 'tag."x"', "rowid", "sqlite_schema", "json_extract(tags,'$')",
  "count(", "sum(sum(cost))", "SELECT", "FROM", " AS ", " IN (SELECT 1)", "NULL", "CASE WHEN 1 THEN 1 END", "load_extension('x')",
  "ATTACH DATABASE 'x' AS y", "PRAGMA user_version", "\u0130", "\u{1f600}", "\ud800", "ﬀ", "１", "−1", "99999999999999999999", "-0",
  "TIMEZONE 'Europe/Nowhere'", "LIMIT -1", "LIMIT 1e3", "9007199254740993", "__proto__", "constructor", "toString", "hasOwnProperty",
]; // biome-ignore format: a list of short words

/** A query with up to six things done to it. */
export function brokenQueries(whole: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const change = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    drop: fc.nat({ max: 12 }),
    add: fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...SPLINTERS) }, fc.string({ unit: "binary", maxLength: 3 })),
    dropping: fc.boolean(),
  });
  return fc.tuple(whole, fc.array(change, { minLength: 1, maxLength: 6 })).map(([text, changes]) =>
    changes.reduce((done, { at, drop, add, dropping }) => {
      const from = Math.floor(at * done.length);
      return done.slice(0, from) + add + done.slice(from + (dropping ? drop : 0));
    }, text),
  );
}

/** Words strung together at random. */
export const wordSalads: fc.Arbitrary<string> = fc
  .array(
    fc.constantFrom(
      ...SPLINTERS,
      ..."EXPLAIN SELECT FROM WHERE AND GROUP BY HAVING ORDER DESC LIMIT BETWEEN IS NOT LIKE TRUE day hour p95 cost ts lane".split(" "),
      ...Object.keys(TABLES),
      "count(*)", "'x'", "1", "2", "tag.client", "=", "<=", "inferences", "runs",
    ), // biome-ignore format: a list of short words
    { maxLength: 24 },
  )
  .map((words) => words.join(" "));

const KEYWORDS =
  `SELECT FROM WHERE AND OR NOT IN IS NULL AS ON CASE WHEN THEN ELSE END GROUP BY HAVING ORDER DESC LIMIT UNION ALL
  EXISTS CROSS LEFT JOIN LIKE CAST REAL DISTINCT OVER PARTITION ROWS BETWEEN UNBOUNDED PRECEDING FOLLOWING NULLS LAST
  count sum min max coalesce iif nullif row_number strftime json_extract inferences attempts runs grades artifacts
  inference_rollups tag_rollups stale_hours wide_tags retention_marks`.split(/\s+/);
const TEXTS = ["''", "'*'", "'live'", "'inference'", "'run'", "'artifact'", "'%Y-%m'", "'unixepoch'"];
const NUMBERS = [
  "0",
  "1",
  "2",
  "3",
  "4",
  "5",
  "6",
  "7",
  "8",
  "50",
  "95",
  "99",
  "100",
  "100.0",
  "1000",
  "3600000",
  "86400000",
  "604800000",
];
const NAMES = /^(?:[aghilmrswx](?:\.[a-z_]+)?|[ckvrnm]\d{1,3})$/;
const WORDS = new Set([...KEYWORDS, ...TEXTS, ...NUMBERS, ..."(),?=<>*+-/%.".split(""), "!=", "<=", ">="]);

/** Words of a statement that are not ours; a value would be one of them. */
export function foreignWords(statement: string): readonly string[] {
  const words = statement.match(/'[^']*'|[A-Za-z_][\w.]*|\d+(?:\.\d+)?|!=|<=|>=|\S/g) ?? [];
  return words.filter((word) => !WORDS.has(word) && !NAMES.test(word));
}
