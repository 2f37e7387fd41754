/** A migrated database with a runner of queries on it, and rows to ask about. */

import type { Inference } from "../../../src/call/inference.ts";
import type { QueryAnswer } from "../../../src/query/answer.ts";
import { compileQuery, type QueryContext } from "../../../src/store/query/compile.ts";
import { LibsqlQueryRunner } from "../../../src/store/query/query-runner.ts";
import { runQuery } from "../../../src/store/query/run-query.ts";
import { recordOf } from "../../../src/telemetry/record.ts";
import { anAttempt, anInference } from "../store/inferences.ts";
import { localStore } from "./local-database.ts";

export type QueryDatabase = Awaited<ReturnType<typeof queryDatabase>>;

export async function queryDatabase() {
  const local = await localStore();
  const runner = new LibsqlQueryRunner(local.connection);
  const ask = (text: string, access: Partial<QueryContext> = {}) =>
    runQuery(text, { org: "org_a", ...access }, { runner, now: () => access.now ?? Date.UTC(2026, 6, 28) });
  return {
    ...local,
    runner,
    ask,
    /** The answer, or a test failure that shows the fault. */
    async answer(text: string, access: Partial<QueryContext> = {}): Promise<QueryAnswer> {
      const result = await ask(text, access);
      if (!result.ok) throw new Error(JSON.stringify(result.error));
      if ("explain" in result.value) throw new Error("an explanation, not an answer");
      return result.value;
    },
    async insert(rows: readonly Partial<Inference>[]): Promise<void> {
      const all = rows.map((row) => {
        const inference = anInference(row);
        const { served = { provider: "openai", model: "m" }, failure } = inference;
        const attempts = row.attempts ?? [
          anAttempt({
            id: `${inference.id}_0`,
            startedAt: inference.startedAt,
            cost: inference.cost,
            failure,
            ...served,
          }),
        ];
        return recordOf({ ...inference, attempts });
      });
      await local.store.telemetry.insertInferences(all);
    },
  };
}

/** The statement a query becomes, without running it. */
export function compiledOrThrow(text: string, access: Partial<QueryContext> = {}) {
  const result = compileQuery(text, { org: "org_a", now: Date.UTC(2026, 6, 28), ...access });
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
}
