/** The tables and columns a query may name: all there is. docs/query.md lists them. */
import { EVALUATION_LANES } from "../record/lane.ts";
import { bind, type Fragment, listed, sql } from "./fragment.ts";
import { type Access, scoped, scopedGrades } from "./scope.ts";

/** `usd` is stored in nano-dollars, `time` in epoch milliseconds, `boolean` as 0 and 1. */
export type ColumnType = "text" | "integer" | "number" | "usd" | "boolean" | "time";

export interface Column {
  readonly type: ColumnType;
  readonly sql: Fragment;
}

/** Rows that are left out unless the query says otherwise by naming the column. */
export interface LeftOut {
  readonly unlessNamed: string;
  readonly keep: Fragment;
  readonly note: string;
}

export interface Table {
  readonly name: string;
  readonly columns: Readonly<Record<string, Column>>;
  /** JSON object of the row's tags. */
  readonly tags: Fragment;
  readonly newestFirst: Fragment;
  /** Settles the order of rows that sort alike. */
  readonly tieBreak: Fragment;
  readonly leftOut: readonly LeftOut[];
  /** The rows a reader may see, and no others. */
  readonly source: (access: Access) => { readonly from: Fragment; readonly where: readonly Fragment[] };
}

const text = (of: Fragment): Column => ({ type: "text", sql: of });
const integer = (of: Fragment): Column => ({ type: "integer", sql: of });
const number = (of: Fragment): Column => ({ type: "number", sql: of });
const boolean = (of: Fragment): Column => ({ type: "boolean", sql: of });
const time = (of: Fragment): Column => ({ type: "time", sql: of });
const usd = (of: Fragment): Column => ({ type: "usd", sql: of });

/** Columns of the call `i`, as its attempts and grades show them too. */
const CALL: Readonly<Record<string, Column>> = {
  lane: text(sql`i.lane`),
  route: text(sql`i.route`),
  route_hash: text(sql`i.route_hash`),
  variant: text(sql`i.variant`),
  served_variant: text(sql`i.variant`),
  arm: text(sql`i.arm`),
  run: text(sql`i.run`),
  step: text(sql`i.step`),
  simulated: boolean(sql`i.simulated`),
};

const evaluation = listed(EVALUATION_LANES.map(bind));

const LANES: LeftOut = {
  unlessNamed: "lane",
  keep: sql`i.lane NOT IN (${evaluation})`,
  note: `rows of the lanes ${EVALUATION_LANES.join(", ")} are left out; name lane to see them`,
};

const inferences: Table = {
  name: "inferences",
  columns: {
    id: text(sql`i.id`),
    ts: time(sql`i.ts`),
    ...CALL,
    key: text(sql`i.key_id`),
    provider: text(sql`i.provider`),
    model: text(sql`i.model`),
    rung: text(sql`i.rung`),
    stream: boolean(sql`i.stream`),
    failure_class: text(sql`i.failure_class`),
    reason: text(sql`i.reason`),
    status: integer(sql`i.status`),
    code: text(sql`i.code`),
    finish: text(sql`i.finish`),
    conformant: boolean(sql`i.conformant`),
    attempts: integer(sql`i.attempts`),
    latency_ms: integer(sql`i.latency_ms`),
    first_byte_ms: integer(sql`i.first_byte_ms`),
    tokens: integer(sql`(i.input_tokens + i.output_tokens)`),
    input_tokens: integer(sql`i.input_tokens`),
    uncached_tokens: integer(sql`i.uncached_tokens`),
    cache_read_tokens: integer(sql`i.cache_read_tokens`),
    cache_write_tokens: integer(sql`i.cache_write_tokens`),
    output_tokens: integer(sql`i.output_tokens`),
    reasoning_tokens: integer(sql`i.reasoning_tokens`),
    cost: usd(sql`i.cost_nano`),
    estimated: boolean(sql`i.estimated`),
    tier: text(sql`i.tier`),
    price_version: text(sql`i.price_version`),
  },
  tags: sql`i.tags`,
  newestFirst: sql`i.ts DESC, i.id DESC`,
  tieBreak: sql`i.id`,
  leftOut: [LANES],
  source: (access) => ({
    from: sql`inferences AS i`,
    where: [sql`i.org = ${bind(access.org)}`, ...scoped(sql`i.tags`, access)],
  }),
};

const attempts: Table = {
  name: "attempts",
  columns: {
    id: text(sql`a.id`),
    inference: text(sql`a.inference`),
    position: integer(sql`a.position`),
    ts: time(sql`a.ts`),
    ...CALL,
    key: text(sql`i.key_id`),
    provider: text(sql`a.provider`),
    model: text(sql`a.model`),
    rung: text(sql`a.rung`),
    failure_class: text(sql`a.failure_class`),
    reason: text(sql`a.reason`),
    status: integer(sql`a.status`),
    code: text(sql`a.code`),
    finish: text(sql`a.finish`),
    latency_ms: integer(sql`a.latency_ms`),
    first_byte_ms: integer(sql`a.first_byte_ms`),
    tokens: integer(sql`(a.input_tokens + a.output_tokens)`),
    input_tokens: integer(sql`a.input_tokens`),
    uncached_tokens: integer(sql`a.uncached_tokens`),
    cache_read_tokens: integer(sql`a.cache_read_tokens`),
    cache_write_tokens: integer(sql`a.cache_write_tokens`),
    output_tokens: integer(sql`a.output_tokens`),
    reasoning_tokens: integer(sql`a.reasoning_tokens`),
    usage_estimated: boolean(sql`a.usage_estimated`),
    usage_inconsistent: boolean(sql`a.usage_inconsistent`),
    cost: usd(sql`a.cost_nano`),
    estimated: boolean(sql`a.estimated`),
    tier: text(sql`a.tier`),
    price_version: text(sql`a.price_version`),
  },
  tags: sql`i.tags`,
  newestFirst: sql`a.ts DESC, a.inference DESC, a.position DESC`,
  tieBreak: sql`a.inference, a.position`,
  leftOut: [LANES],
  // Cross join: the engine keeps the order, so that a range of time is read by the index of attempts.
  source: (access) => ({
    from: sql`attempts AS a CROSS JOIN inferences AS i ON i.org = a.org AND i.id = a.inference`,
    where: [sql`a.org = ${bind(access.org)}`, ...scoped(sql`i.tags`, access)],
  }),
};

const runs: Table = {
  name: "runs",
  columns: {
    id: text(sql`r.id`),
    ts: time(sql`r.started_at`),
    started_at: time(sql`r.started_at`),
    ended_at: time(sql`r.ended_at`),
    duration_ms: integer(sql`(r.ended_at - r.started_at)`),
    declared: boolean(sql`r.declared`),
    pipeline: text(sql`r.pipeline`),
    episode_key: text(sql`r.episode_key`),
    environment: text(sql`r.environment`),
    subject: text(sql`r.subject`),
    feature: text(sql`r.feature`),
    status: text(sql`r.status`),
  },
  tags: sql`r.tags`,
  newestFirst: sql`r.started_at DESC, r.id DESC`,
  tieBreak: sql`r.id`,
  leftOut: [],
  source: (access) => ({
    from: sql`runs AS r`,
    where: [sql`r.org = ${bind(access.org)}`, ...scoped(sql`r.tags`, access)],
  }),
};

const grades: Table = {
  name: "grades",
  columns: {
    id: text(sql`g.id`),
    ts: time(sql`g.created_at`),
    ...CALL,
    provider: text(sql`i.provider`),
    model: text(sql`i.model`),
    subject_kind: text(sql`g.subject_kind`),
    subject: text(sql`g.subject`),
    score: number(sql`g.score`),
    kind: text(sql`g.kind`),
    grader: text(sql`g.grader`),
    key: text(sql`g.key_id`),
    superseded: boolean(sql`EXISTS (SELECT 1 FROM grades AS l WHERE l.org = g.org AND l.subject_kind = g.subject_kind
      AND l.subject = g.subject AND l.kind = g.kind AND l.grader = g.grader AND (l.created_at, l.id) > (g.created_at, g.id))`),
  },
  tags: sql`i.tags`,
  newestFirst: sql`g.created_at DESC, g.id DESC`,
  tieBreak: sql`g.id`,
  leftOut: [
    { ...LANES, keep: sql`(i.lane IS NULL OR i.lane NOT IN (${evaluation}))` },
    {
      unlessNamed: "superseded",
      keep: sql`NOT EXISTS (SELECT 1 FROM grades AS l WHERE l.org = g.org AND l.subject_kind = g.subject_kind
        AND l.subject = g.subject AND l.kind = g.kind AND l.grader = g.grader AND (l.created_at, l.id) > (g.created_at, g.id))`,
      note: "the latest grade of each grader on a subject counts; name superseded to see the earlier ones",
    },
  ],
  source: (access) => ({
    from: sql`grades AS g LEFT JOIN inferences AS i ON g.subject_kind = 'inference' AND i.org = g.org AND i.id = g.subject`,
    where: [sql`g.org = ${bind(access.org)}`, ...scopedGrades(access)],
  }),
};

export const TABLES: Readonly<Record<string, Table>> = { inferences, attempts, runs, grades };
