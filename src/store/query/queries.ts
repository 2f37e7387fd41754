import type { Result } from "../../failure/failure.ts";
import type { RowScope } from "../../identity/principal.ts";
import type { QueryAnswer, QueryExplanation } from "../../query/answer.ts";
import type { QueryFault } from "../../query/fault.ts";
import type { QueryRunner } from "./query-runner.ts";
import { QUERY_LIMIT_MS, runQuery } from "./run-query.ts";

/** Queries over the telemetry of one org. */
export class OrgQueries {
  readonly #runner: QueryRunner;
  readonly #org: string;

  constructor(runner: QueryRunner, org: string) {
    this.#runner = runner;
    this.#org = org;
  }

  /**
   * Answers a query (docs/query.md), or explains it where it begins with EXPLAIN. `rowScope` is the key's and must
   * always be given: `undefined` reads every row of the org. Rejects with `StoreError` where the database is
   * unreachable.
   */
  ask(
    text: string,
    rowScope: RowScope | undefined,
    { now, limitMs = QUERY_LIMIT_MS }: { readonly now: () => number; readonly limitMs?: number | undefined },
  ): Promise<Result<QueryAnswer | QueryExplanation, QueryFault>> {
    return runQuery(text, { org: this.#org, rowScope }, { runner: this.#runner, now }, limitMs);
  }
}
