import { ok, type Result } from "../../failure/failure.ts";
import type { QueryAnswer, QueryExplanation } from "../../query/answer.ts";
import type { QueryFault } from "../../query/fault.ts";
import { answerOf, explanationOf } from "./answer-of.ts";
import { compileQuery, type QueryContext } from "./compile.ts";
import type { QueryRunner } from "./query-runner.ts";

/** Milliseconds that the database may take for one query. */
export const QUERY_LIMIT_MS = 10_000;

interface QueryPorts {
  readonly runner: QueryRunner;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Answers a query, or explains it where it begins with EXPLAIN. Rejects where the database is unreachable. */
export async function runQuery(
  text: string,
  access: Omit<QueryContext, "now">,
  { runner, now }: QueryPorts,
  limitMs: number = QUERY_LIMIT_MS,
): Promise<Result<QueryAnswer | QueryExplanation, QueryFault>> {
  const startedAt = now();
  const compiled = compileQuery(text, { ...access, now: startedAt });
  if (!compiled.ok) return compiled;
  const query = compiled.value;
  if (query.plan.explain) return ok(explanationOf(query));
  const statements = query.retention ? [query.statement, query.retention] : [query.statement];
  const rows = await runner.run(statements, limitMs);
  return rows.ok ? ok(answerOf(query, rows.value, now() - startedAt)) : rows;
}
