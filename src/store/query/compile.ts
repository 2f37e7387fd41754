/** Compiles the text of a query to one generated statement with bound literals. */
import { err, ok, type Result } from "../../failure/failure.ts";
import { isTagName } from "../../intake/tag-rule.ts";
import { faultWithout, type QueryFault } from "../../query/fault.ts";
import type { QueryPlan } from "../../query/plan.ts";
import { planQuery } from "../../query/plan-query.ts";
import type { OffsetPeriod } from "../../query/time-zone.ts";
import { allOf, bind, type Fragment, type SqlStatement, sql } from "../database/fragment.ts";
import type { Access } from "../database/row-scope.ts";
import { rangeOf } from "./range.ts";
import { rollupChoice } from "./rollup-choice.ts";
import { betweenTimes, mark, rollupStatement } from "./rollup-statement.ts";
import { rowsStatement } from "./rows-statement.ts";
import type { Layout } from "./select.ts";

export interface QueryContext extends Access {
  /** Epoch milliseconds. */
  readonly now: number;
  /** Reads the rows even where rollups would be sufficient. */
  readonly rowsOnly?: boolean | undefined;
}

export interface CompiledQuery {
  readonly plan: QueryPlan;
  readonly statement: SqlStatement;
  readonly layout: Layout;
  readonly source: "rows" | "rollups";
  /** Reasons against rollups; empty where they are used. */
  readonly why: readonly string[];
  /** `[mark, lost]`: up to when retention removed requested rows, and how many hours lost the tag's values. */
  readonly retention?: SqlStatement | undefined;
}

/** Refuses invalid queries, and row scopes with a tag that no row can have. */
export function compileQuery(text: string, context: QueryContext): Result<CompiledQuery, QueryFault> {
  if (!Object.keys(context.rowScope?.tags ?? {}).every(isTagName)) return err(UNUSABLE_SCOPE);
  const plan = planQuery(text);
  return plan.ok ? ok(compiled(plan.value, context)) : plan;
}

const UNUSABLE_SCOPE = faultWithout("query_scope", "the key's row scope names a tag that cannot exist", {
  hint: "make a key with another row scope: modelrig keys create --rows tag:<name>=<value>",
});

function compiled(plan: QueryPlan, context: QueryContext): CompiledQuery {
  const periods = periodsOf(plan, context.now);
  const choice = context.rowsOnly ? ["rows are asked for"] : rollupChoice(plan, context, periods);
  const retention = retentionOf(plan, context);
  if ("untagged" in choice) {
    const { statement, layout } = rollupStatement(plan, context, periods, choice);
    return { plan, statement, layout, source: "rollups", why: [], retention };
  }
  const { statement, layout } = rowsStatement(plan, context, periods);
  return { plan, statement, layout, source: "rows", why: choice, retention };
}

/** No call to a language model is older; for earlier times this instant's offset is used. */
const EARLIEST = Date.UTC(2018, 0, 1);
const AHEAD_MS = 400 * 86_400_000;

function periodsOf(plan: QueryPlan, now: number): readonly OffsetPeriod[] {
  if (plan.zone.name === "UTC" || !plan.scalars.some(({ kind }) => kind === "bucket")) return [{ since: 0, offset: 0 }];
  const { from = EARLIEST, to = now + AHEAD_MS } = rangeOf(plan);
  const first = Math.max(from, EARLIEST);
  return plan.zone.periods(first, Math.max(first, Math.min(to, now + AHEAD_MS)));
}

function retentionOf(plan: QueryPlan, { org, rowScope }: QueryContext): SqlStatement | undefined {
  if (plan.table.name !== "inferences" && plan.table.name !== "attempts") return undefined;
  const { from, to } = rangeOf(plan);
  const tags = new Set([
    ...[...plan.scalars, ...plan.where.map(({ left }) => left)].flatMap((one) => (one.kind === "tag" ? [one.tag] : [])),
    ...Object.keys(rowScope?.tags ?? {}),
  ]);
  const named: Fragment[] = [...tags].map((tag) => sql`w.tag IN (${bind(tag)}, '*')`);
  const [first] = named;
  const wide = first
    ? sql`(SELECT count(*) FROM wide_tags AS w WHERE ${allOf([sql`w.org = ${bind(org)}`, first, sql`w.hour < ${mark(org)}`, ...betweenTimes(sql`w.hour`, from, to)])})`
    : sql`0`;
  return sql`SELECT ${mark(org)} AS c0, ${wide} AS c1`;
}
