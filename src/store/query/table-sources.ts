/** Where the rows and columns of each table of `/query` come from: `i` is a call, `a` an attempt, `r` a run, `g` a grade. */
import type { COLUMNS, TableName } from "../../query/tables.ts";
import { EVALUATION_LANES } from "../../record/lane.ts";
import { bind, type Fragment, listed, sql } from "../database/fragment.ts";
import { type Access, carries, seesSubject } from "../database/row-scope.ts";

export interface TableSource {
  readonly columns: Readonly<Record<string, Fragment>>;
  readonly from: Fragment;
  readonly org: Fragment;
  /** Columns that have a value in every row. */
  readonly neverNull: ReadonlySet<string>;
  /** JSON object of the row's tags. */
  readonly tags: Fragment;
  /** The rows of the org that its row scope shows; `undefined` = all. */
  readonly seen: (access: Access) => Fragment | undefined;
  /** Condition that excludes rows unless the query names the column. */
  readonly leftOut: Readonly<Record<string, Fragment>>;
  readonly newestFirst: Fragment;
  /** Orders rows that are otherwise equal in order. */
  readonly tieBreak: Fragment;
}

const CALL = {
  lane: sql`i.lane`,
  route: sql`i.route`,
  route_hash: sql`i.route_hash`,
  variant: sql`i.variant`,
  served_variant: sql`i.variant`,
  arm: sql`i.arm`,
  run: sql`i.run`,
  step: sql`i.step`,
  simulated: sql`i.simulated`,
};

/** Nearly every row is live: a comparison with that text first avoids most list lookups. */
export function outsideEvaluation(lane: Fragment): Fragment {
  return sql`(${lane} = 'live' OR ${lane} NOT IN (${listed(EVALUATION_LANES.map(bind))}))`;
}

const laterGrade = sql`SELECT 1 FROM grades AS l WHERE l.org = g.org AND l.subject_kind = g.subject_kind
  AND l.subject = g.subject AND l.kind = g.kind AND l.grader = g.grader AND (l.created_at, l.id) > (g.created_at, g.id)`;

const inferences: SourceOf<"inferences"> = {
  columns: {
    id: sql`i.id`,
    ts: sql`i.ts`,
    ...CALL,
    key: sql`i.key_id`,
    provider: sql`i.provider`,
    model: sql`i.model`,
    rung: sql`i.rung`,
    stream: sql`i.stream`,
    failure_class: sql`i.failure_class`,
    reason: sql`i.reason`,
    status: sql`i.status`,
    code: sql`i.code`,
    finish: sql`i.finish`,
    conformant: sql`i.conformant`,
    attempts: sql`i.attempts`,
    latency_ms: sql`i.latency_ms`,
    first_byte_ms: sql`i.first_byte_ms`,
    tokens: sql`(i.input_tokens + i.output_tokens)`,
    input_tokens: sql`i.input_tokens`,
    uncached_tokens: sql`i.uncached_tokens`,
    cache_read_tokens: sql`i.cache_read_tokens`,
    cache_write_tokens: sql`i.cache_write_tokens`,
    output_tokens: sql`i.output_tokens`,
    reasoning_tokens: sql`i.reasoning_tokens`,
    cost: sql`i.cost_nano`,
    estimated: sql`i.estimated`,
    tier: sql`i.tier`,
    price_version: sql`i.price_version`,
  },
  neverNull: new Set(["latency_ms", "attempts"]),
  from: sql`inferences AS i`,
  org: sql`i.org`,
  tags: sql`i.tags`,
  seen: ({ rowScope }) => carries(sql`i.tags`, rowScope),
  leftOut: { lane: outsideEvaluation(sql`i.lane`) },
  newestFirst: sql`i.ts DESC, i.id DESC`,
  tieBreak: sql`i.id`,
};

const attempts: SourceOf<"attempts"> = {
  columns: {
    id: sql`a.id`,
    inference: sql`a.inference`,
    position: sql`a.position`,
    ts: sql`a.ts`,
    ...CALL,
    key: sql`i.key_id`,
    provider: sql`a.provider`,
    model: sql`a.model`,
    rung: sql`a.rung`,
    failure_class: sql`a.failure_class`,
    reason: sql`a.reason`,
    status: sql`a.status`,
    code: sql`a.code`,
    finish: sql`a.finish`,
    latency_ms: sql`a.latency_ms`,
    first_byte_ms: sql`a.first_byte_ms`,
    tokens: sql`(a.input_tokens + a.output_tokens)`,
    input_tokens: sql`a.input_tokens`,
    uncached_tokens: sql`a.uncached_tokens`,
    cache_read_tokens: sql`a.cache_read_tokens`,
    cache_write_tokens: sql`a.cache_write_tokens`,
    output_tokens: sql`a.output_tokens`,
    reasoning_tokens: sql`a.reasoning_tokens`,
    usage_estimated: sql`a.usage_estimated`,
    usage_inconsistent: sql`a.usage_inconsistent`,
    cost: sql`a.cost_nano`,
    estimated: sql`a.estimated`,
    tier: sql`a.tier`,
    price_version: sql`a.price_version`,
  },
  neverNull: new Set(["latency_ms", "position"]),
  // Cross join: the engine keeps the order, so a range of time is read by the index of attempts.
  from: sql`attempts AS a CROSS JOIN inferences AS i ON i.org = a.org AND i.id = a.inference`,
  org: sql`a.org`,
  tags: sql`i.tags`,
  seen: ({ rowScope }) => carries(sql`i.tags`, rowScope),
  leftOut: inferences.leftOut,
  newestFirst: sql`a.ts DESC, a.inference DESC, a.position DESC`,
  tieBreak: sql`a.inference, a.position`,
};

const runs: SourceOf<"runs"> = {
  columns: {
    id: sql`r.id`,
    ts: sql`r.started_at`,
    started_at: sql`r.started_at`,
    ended_at: sql`r.ended_at`,
    duration_ms: sql`(r.ended_at - r.started_at)`,
    declared: sql`r.declared`,
    pipeline: sql`r.pipeline`,
    episode_key: sql`r.episode_key`,
    environment: sql`r.environment`,
    subject: sql`r.subject`,
    feature: sql`r.feature`,
    status: sql`r.status`,
  },
  neverNull: new Set(),
  from: sql`runs AS r`,
  org: sql`r.org`,
  tags: sql`r.tags`,
  seen: ({ rowScope }) => carries(sql`r.tags`, rowScope),
  leftOut: {},
  newestFirst: sql`r.started_at DESC, r.id DESC`,
  tieBreak: sql`r.id`,
};

const grades: SourceOf<"grades"> = {
  columns: {
    id: sql`g.id`,
    ts: sql`g.created_at`,
    ...CALL,
    provider: sql`i.provider`,
    model: sql`i.model`,
    subject_kind: sql`g.subject_kind`,
    subject: sql`g.subject`,
    score: sql`g.score`,
    kind: sql`g.kind`,
    grader: sql`g.grader`,
    key: sql`g.key_id`,
    superseded: sql`EXISTS (${laterGrade})`,
  },
  neverNull: new Set(["score"]),
  from: sql`grades AS g LEFT JOIN inferences AS i ON g.subject_kind = 'inference' AND i.org = g.org AND i.id = g.subject`,
  org: sql`g.org`,
  tags: sql`i.tags`,
  seen: (access) => (access.rowScope ? seesSubject(access, sql`g.subject_kind`, sql`g.subject`) : undefined),
  leftOut: {
    lane: sql`(i.lane IS NULL OR ${outsideEvaluation(sql`i.lane`)})`,
    superseded: sql`NOT EXISTS (${laterGrade})`,
  },
  newestFirst: sql`g.created_at DESC, g.id DESC`,
  tieBreak: sql`g.id`,
};

/** Every column that a query may name has its source. */
type SourceOf<Name extends TableName> = TableSource & {
  readonly columns: Readonly<Record<keyof (typeof COLUMNS)[Name], Fragment>>;
};

const SOURCES: { readonly [Name in TableName]: SourceOf<Name> } = { inferences, attempts, runs, grades };

export function sourceOf(table: TableName): TableSource {
  return SOURCES[table];
}

/** Conditions that apply to every read of the table. */
export function visibleRows(source: TableSource, access: Access): readonly Fragment[] {
  const seen = source.seen(access);
  return [sql`${source.org} = ${bind(access.org)}`, ...(seen ? [seen] : [])];
}
