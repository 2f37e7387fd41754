import { type Client, createClient, type InStatement } from "@libsql/client/web";
import { err, ok, type Result } from "../../failure/failure.ts";
import { faultWithout, type QueryFault } from "../../query/fault.ts";
import type { Bound } from "../../query/plan.ts";
import type { Connection } from "../database/database.ts";
import type { SqlStatement } from "../database/fragment.ts";
import { storeError } from "../database/store-error.ts";

/** A value as the engine returns it; whole numbers are exact. */
export type Cell = string | number | bigint | null;
export type ResultRows = readonly (readonly Cell[])[];

export interface QueryRunner {
  /**
   * Runs read-only statements concurrently, each by itself, and returns their rows. Faults are `query_timeout` and
   * `query_overflow`; rejects where the database is unreachable or not ready.
   */
  run(statements: readonly SqlStatement[], limitMs: number): Promise<Result<readonly ResultRows[], QueryFault>>;
}

/** Runs the statements of `/query` on a separate client with exact integers and the time limit of queries. */
export class LibsqlQueryRunner implements QueryRunner {
  readonly #connection: Connection;
  /** Clients by time limit, because a client's limit is fixed when it is made. Opens nothing before the first query. */
  readonly #clients = new Map<number, Client>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async run(statements: readonly SqlStatement[], limitMs: number): Promise<Result<readonly ResultRows[], QueryFault>> {
    const client = this.#client(limitMs);
    try {
      // Not a batch: the first batch of a client asks the server for its version, which costs a round trip.
      const results = await Promise.all(statements.map((statement) => client.execute(inStatement(statement))));
      return ok(results.map(({ rows, columns }) => rows.map((row) => columns.map((_, at) => cellOf(row[at])))));
    } catch (cause) {
      if (isTimeout(cause)) return err(timedOut(limitMs));
      if (cause instanceof Error && /integer overflow/i.test(cause.message)) return err(OVERFLOW);
      throw storeError(cause);
    }
  }

  #client(limitMs: number): Client {
    const known = this.#clients.get(limitMs);
    if (known) return known;
    const { url, authToken } = this.#connection;
    const client = createClient({
      url,
      ...(authToken !== undefined && { authToken }),
      intMode: "bigint",
      fetch: (request: Request) => fetch(request, { signal: AbortSignal.timeout(limitMs) }),
    });
    this.#clients.set(limitMs, client);
    return client;
  }
}

/** The request's own time limit ended it; the client wraps the original rejection. */
function isTimeout(cause: unknown): boolean {
  for (let link = cause, depth = 0; link instanceof Error && depth < 10; link = link.cause, depth += 1) {
    if (link.name === "TimeoutError") return true;
  }
  return false;
}

function inStatement({ sql, args }: SqlStatement): InStatement {
  return { sql, args: args.map(exact) };
}

/** The client sends a number as a real; times and limits must be integers. */
function exact(value: Bound): Bound | bigint {
  return Number.isSafeInteger(value) ? BigInt(value as number) : value;
}

function cellOf(value: unknown): Cell {
  if (typeof value === "string" || typeof value === "number" || typeof value === "bigint") return value;
  return null;
}

function timedOut(limitMs: number): QueryFault {
  return faultWithout("query_timeout", `the query took longer than ${limitMs / 1000} s`, {
    hint: "narrow the range of ts, or ask what rollups can answer (EXPLAIN says why they cannot)",
  });
}

const OVERFLOW = faultWithout("query_overflow", "a sum is larger than the engine can count", {
  hint: "narrow the range of ts",
});
