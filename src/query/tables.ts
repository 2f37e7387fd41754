/** The tables and columns that a query may name. docs/query.md lists them. */
import { EVALUATION_LANES } from "../record/lane.ts";

/** `usd` is stored in nano-dollars, `time` in epoch milliseconds, `boolean` as 0 and 1. */
export type ColumnType = "text" | "integer" | "number" | "usd" | "boolean" | "time";

/** Condition on rows that are left out unless the query names the column. */
interface LeftOut {
  readonly unlessNamed: string;
  readonly note: string;
}

export interface Table {
  readonly name: TableName;
  readonly columns: Readonly<Record<string, ColumnType>>;
  readonly leftOut: readonly LeftOut[];
}

/** Columns of a call that its attempts and grades also have. */
const CALL = {
  lane: "text",
  route: "text",
  route_hash: "text",
  variant: "text",
  served_variant: "text",
  arm: "text",
  run: "text",
  step: "text",
  simulated: "boolean",
} as const;

const INFERENCES = {
  id: "text",
  ts: "time",
  ...CALL,
  key: "text",
  provider: "text",
  model: "text",
  rung: "text",
  stream: "boolean",
  failure_class: "text",
  reason: "text",
  status: "integer",
  code: "text",
  finish: "text",
  conformant: "boolean",
  attempts: "integer",
  latency_ms: "integer",
  first_byte_ms: "integer",
  tokens: "integer",
  input_tokens: "integer",
  uncached_tokens: "integer",
  cache_read_tokens: "integer",
  cache_write_tokens: "integer",
  output_tokens: "integer",
  reasoning_tokens: "integer",
  cost: "usd",
  estimated: "boolean",
  tier: "text",
  price_version: "text",
} as const;

const ATTEMPTS = {
  id: "text",
  inference: "text",
  position: "integer",
  ts: "time",
  ...CALL,
  key: "text",
  provider: "text",
  model: "text",
  rung: "text",
  failure_class: "text",
  reason: "text",
  status: "integer",
  code: "text",
  finish: "text",
  latency_ms: "integer",
  first_byte_ms: "integer",
  tokens: "integer",
  input_tokens: "integer",
  uncached_tokens: "integer",
  cache_read_tokens: "integer",
  cache_write_tokens: "integer",
  output_tokens: "integer",
  reasoning_tokens: "integer",
  usage_estimated: "boolean",
  usage_inconsistent: "boolean",
  cost: "usd",
  estimated: "boolean",
  tier: "text",
  price_version: "text",
} as const;

const RUNS = {
  id: "text",
  ts: "time",
  started_at: "time",
  ended_at: "time",
  duration_ms: "integer",
  declared: "boolean",
  pipeline: "text",
  episode_key: "text",
  environment: "text",
  subject: "text",
  feature: "text",
  status: "text",
} as const;

const GRADES = {
  id: "text",
  ts: "time",
  ...CALL,
  provider: "text",
  model: "text",
  subject_kind: "text",
  subject: "text",
  score: "number",
  kind: "text",
  grader: "text",
  key: "text",
  superseded: "boolean",
} as const;

/** The columns of each table and their types. */
export const COLUMNS = { inferences: INFERENCES, attempts: ATTEMPTS, runs: RUNS, grades: GRADES } as const;
export type TableName = keyof typeof COLUMNS;

const EVALUATION: LeftOut = {
  unlessNamed: "lane",
  note: `rows of the lanes ${EVALUATION_LANES.join(", ")} are left out; name lane to see them`,
};

const EARLIER_GRADES: LeftOut = {
  unlessNamed: "superseded",
  note: "the latest grade of each grader on a subject counts; name superseded to see the earlier ones",
};

export const TABLES: Readonly<Record<TableName, Table>> = {
  inferences: { name: "inferences", columns: INFERENCES, leftOut: [EVALUATION] },
  attempts: { name: "attempts", columns: ATTEMPTS, leftOut: [EVALUATION] },
  runs: { name: "runs", columns: RUNS, leftOut: [] },
  grades: { name: "grades", columns: GRADES, leftOut: [EVALUATION, EARLIER_GRADES] },
};

/** Returns the table of this name, in any case. */
export function tableNamed(name: string): Table | undefined {
  return Object.values(TABLES).find((table) => table.name === name.toLowerCase());
}
