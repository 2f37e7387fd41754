/** Requests of Hrana 2 and 3 over HTTP in JSON (github.com/tursodatabase/libsql, docs/HRANA_3_SPEC.md), decoded. */
import { arrayAt, isRecord, numberAt, stringAt } from "../json/record.ts";
import { decodeValue, HranaProtocolError, type SqlValue, wellFormed } from "./hrana-value.ts";

/** SQL as text, or as the number it was stored under on this stream. */
export type SqlRef = { readonly sql: string } | { readonly sqlId: number };

export interface NamedArg {
  /** With its prefix (`:`, `@`, `$`), or without: then it is the parameter of that name under any prefix. */
  readonly name: string;
  readonly value: SqlValue;
}

export interface Statement {
  readonly sql: SqlRef;
  readonly args: readonly SqlValue[];
  readonly namedArgs: readonly NamedArg[];
  readonly wantRows: boolean;
}

export type BatchCondition =
  | { readonly type: "ok" | "error"; readonly step: number }
  | { readonly type: "not"; readonly condition: BatchCondition }
  | { readonly type: "and" | "or"; readonly conditions: readonly BatchCondition[] }
  | { readonly type: "is_autocommit" };

export interface BatchStep {
  readonly condition: BatchCondition | undefined;
  readonly statement: Statement;
}

export type StreamRequest =
  | { readonly type: "close" | "get_autocommit" }
  | { readonly type: "execute"; readonly statement: Statement }
  | { readonly type: "batch"; readonly steps: readonly BatchStep[] }
  | { readonly type: "sequence" | "describe"; readonly sql: SqlRef }
  | { readonly type: "store_sql"; readonly sqlId: number; readonly sql: string }
  | { readonly type: "close_sql"; readonly sqlId: number };

interface PipelineRequest {
  readonly baton: string | undefined;
  readonly requests: readonly StreamRequest[];
}

interface CursorRequest {
  readonly baton: string | undefined;
  readonly steps: readonly BatchStep[];
}

const DEEPEST_CONDITION = 50;

export function decodePipeline(body: unknown): PipelineRequest {
  const requests = arrayAt(body, "requests");
  if (!requests) throw new HranaProtocolError("the body has no `requests`");
  return { baton: batonIn(body), requests: requests.map(decodeRequest) };
}

export function decodeCursor(body: unknown): CursorRequest {
  if (!isRecord(body)) fail("the body is not an object");
  return { baton: batonIn(body), steps: decodeSteps(body) };
}

function decodeSteps(json: unknown): readonly BatchStep[] {
  return (arrayAt(field(json, "batch"), "steps") ?? fail("a batch has no `steps`")).map(decodeStep);
}

function decodeRequest(json: unknown): StreamRequest {
  const type = stringAt(json, "type");
  switch (type) {
    case "close":
    case "get_autocommit":
      return { type };
    case "execute":
      return { type, statement: decodeStatement(field(json, "stmt")) };
    case "batch":
      return { type, steps: decodeSteps(json) };
    case "sequence":
    case "describe":
      return { type, sql: decodeSql(json) };
    case "store_sql":
      return { type, sqlId: sqlIdOf(json), sql: wellFormed(stringAt(json, "sql") ?? fail("`store_sql` has no `sql`")) };
    case "close_sql":
      return { type, sqlId: sqlIdOf(json) };
    default:
      return fail(`unknown request type ${JSON.stringify(type)}`);
  }
}

function decodeStep(json: unknown): BatchStep {
  const condition = field(json, "condition");
  return {
    condition: condition === undefined || condition === null ? undefined : decodeCondition(condition, 0),
    statement: decodeStatement(field(json, "stmt")),
  };
}

function decodeCondition(json: unknown, depth: number): BatchCondition {
  if (depth > DEEPEST_CONDITION) fail("a condition is nested too deeply");
  const type = stringAt(json, "type");
  switch (type) {
    case "ok":
    case "error":
      return { type, step: numberAt(json, "step") ?? fail("a condition has no `step`") };
    case "not":
      return { type, condition: decodeCondition(field(json, "cond"), depth + 1) };
    case "and":
    case "or":
      return {
        type,
        conditions: listIn(json, "conds").map((condition) => decodeCondition(condition, depth + 1)),
      };
    case "is_autocommit":
      return { type };
    default:
      return fail(`unknown condition type ${JSON.stringify(type)}`);
  }
}

function decodeStatement(json: unknown): Statement {
  const namedArgs = listIn(json, "named_args").map((arg) => ({
    name: stringAt(arg, "name") ?? fail("a named argument has no `name`"),
    value: decodeValue(field(arg, "value")),
  }));
  return {
    sql: decodeSql(json),
    args: listIn(json, "args").map(decodeValue),
    namedArgs,
    wantRows: field(json, "want_rows") !== false,
  };
}

function decodeSql(json: unknown): SqlRef {
  const sql = stringAt(json, "sql");
  if (sql !== undefined && numberAt(json, "sql_id") !== undefined) fail("both `sql` and `sql_id` are there");
  if (sql !== undefined) return { sql: wellFormed(sql) };
  return { sqlId: sqlIdOf(json) };
}

function sqlIdOf(json: unknown): number {
  return numberAt(json, "sql_id") ?? fail("neither `sql` nor `sql_id` is there");
}

function batonIn(json: unknown): string | undefined {
  const baton = field(json, "baton") ?? undefined;
  return baton === undefined || typeof baton === "string" ? baton : fail("the baton is not a text");
}

/** Absent or null = empty. */
function listIn(json: unknown, name: string): readonly unknown[] {
  const list = field(json, name) ?? [];
  return Array.isArray(list) ? list : fail(`\`${name}\` is not a list`);
}

function field(json: unknown, name: string): unknown {
  return isRecord(json) ? json[name] : fail("a request is not an object");
}

function fail(message: string): never {
  throw new HranaProtocolError(message);
}
