import type Database from "libsql";
import { bindingsOf } from "./bindings.ts";
import type { ConnectionPool } from "./connection-pool.ts";
import type { BatchCondition, BatchStep, SqlRef, Statement, StreamRequest } from "./hrana-request.ts";
import { HranaProtocolError } from "./hrana-value.ts";
import { type PreparedStatement, prepareStatement, runStatement, type StatementOutcome } from "./prepared-statement.ts";
import { parametersOf, statementKind, statementsIn } from "./sql-text.ts";
import { StatementError } from "./statement-error.ts";

interface HranaError {
  readonly message: string;
  readonly code: string;
}

interface StatementResult extends StatementOutcome {
  /** Rows answered: the embedded engine does not tell how many it looked at. */
  readonly rows_read: number;
  readonly rows_written: number;
  /** Milliseconds, waiting for locks included. */
  readonly query_duration_ms: number;
}

/** What happened to each step of a batch; both `null` where its condition did not hold. */
export interface BatchResult {
  readonly step_results: readonly (StatementResult | null)[];
  readonly step_errors: readonly (HranaError | null)[];
}

export type StreamResult =
  | { readonly type: "ok"; readonly response: Record<string, unknown> }
  | { readonly type: "error"; readonly error: HranaError };

/** How long a statement waits for a lock another stream or program holds. */
const BUSY_WAIT_MS = 5_000;
const MOST_STORED_SQL = 150;
/**
 * Statements that change the connection itself; it is not used again after them. EXPLAIN is one: the engine takes it for
 * running, and refuses to drop tables, until its memory is collected.
 */
const LEAVES_TRACES = /\b(?:pragma|attach|detach|temp|temporary|explain)\b/i;

/** One stream: a connection of its own, the SQL texts stored on it, and perhaps an open transaction. */
export class HranaStream {
  readonly #pool: ConnectionPool;
  readonly #connection: Database.Database;
  readonly #stored = new Map<number, string>();
  #clean = true;
  #closed = false;
  /** A transaction is open that reads one version of the schema, and the connection has seen it. */
  #schemaSeen = false;

  constructor(pool: ConnectionPool) {
    this.#pool = pool;
    this.#connection = pool.take();
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Rolls back what is open. Safe to repeat. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#pool.giveBack(this.#connection, this.#clean);
  }

  /** Expected failures of SQL are answers; a request against the protocol throws `HranaProtocolError`. */
  async handle(request: StreamRequest): Promise<StreamResult> {
    if (this.#closed) throw new HranaProtocolError("a request follows `close` on the same stream");
    try {
      return { type: "ok", response: { type: request.type, ...(await this.#respond(request)) } };
    } catch (cause) {
      return { type: "error", error: sqlError(cause) };
    }
  }

  async #respond(request: StreamRequest): Promise<Record<string, unknown>> {
    switch (request.type) {
      case "close":
        this.close();
        return {};
      case "execute":
        return { result: await this.#execute(request.statement) };
      case "batch":
        return { result: await this.batch(request.steps) };
      case "sequence":
        await this.#sequence(this.#text(request.sql));
        return {};
      case "describe":
        return { result: this.#describe(this.#text(request.sql)) };
      case "get_autocommit":
        return { is_autocommit: !this.#connection.inTransaction };
      case "store_sql":
        this.#store(request.sqlId, request.sql);
        return {};
      case "close_sql":
        this.#stored.delete(request.sqlId);
        return {};
    }
  }

  #store(sqlId: number, sql: string): void {
    if (this.#stored.has(sqlId)) throw new HranaProtocolError(`sql_id ${sqlId} is in use`);
    if (this.#stored.size >= MOST_STORED_SQL) throw new HranaProtocolError("too many stored SQL texts");
    this.#stored.set(sqlId, sql);
  }

  #text(ref: SqlRef): string {
    if ("sql" in ref) return ref.sql;
    const sql = this.#stored.get(ref.sqlId);
    if (sql === undefined) throw new HranaProtocolError(`no SQL is stored under sql_id ${ref.sqlId}`);
    return sql;
  }

  /** Runs the steps whose conditions hold. Throws `HranaProtocolError` for a batch against the protocol. */
  async batch(steps: readonly BatchStep[]): Promise<BatchResult> {
    const results: (StatementResult | null)[] = [];
    const errors: (HranaError | null)[] = [];
    for (const { condition, statement } of steps) {
      const outcome =
        !condition || this.#holds(condition, results, errors) ? await this.#attempt(statement) : undefined;
      results.push(outcome?.result ?? null);
      errors.push(outcome?.error ?? null);
    }
    return { step_results: results, step_errors: errors };
  }

  async #attempt(statement: Statement): Promise<{ result?: StatementResult; error?: HranaError }> {
    try {
      return { result: await this.#execute(statement) };
    } catch (cause) {
      return { error: sqlError(cause) };
    }
  }

  #holds(
    condition: BatchCondition,
    results: readonly (StatementResult | null)[],
    errors: readonly (HranaError | null)[],
  ): boolean {
    const holds = (inner: BatchCondition): boolean => this.#holds(inner, results, errors);
    switch (condition.type) {
      case "ok":
      case "error": {
        const outcome = (condition.type === "ok" ? results : errors)[condition.step];
        if (outcome === undefined)
          throw new HranaProtocolError(`a condition names step ${condition.step}, not yet run`);
        return outcome !== null;
      }
      case "not":
        return !holds(condition.condition);
      case "and":
        return condition.conditions.every(holds);
      case "or":
        return condition.conditions.some(holds);
      case "is_autocommit":
        return !this.#connection.inTransaction;
    }
  }

  async #execute(statement: Statement): Promise<StatementResult> {
    const sql = this.#text(statement.sql);
    requireOneStatement(sql);
    if (LEAVES_TRACES.test(sql)) this.#clean = false;
    const startedAt = performance.now();
    const prepared = this.#prepare(sql);
    const args = bindingsOf(sql, statement);
    // The same prepared statement again: one that the lock refused stays active, and would lock its own connection out.
    const result = await this.#whenFree(() => runStatement(this.#connection, prepared, args));
    return {
      ...result,
      rows: statement.wantRows ? result.rows : [],
      rows_read: result.rows.length,
      rows_written: result.affected_row_count,
      query_duration_ms: performance.now() - startedAt,
    };
  }

  #prepare(sql: string): PreparedStatement {
    requireNoNul(sql);
    // In a deferred transaction a read takes a snapshot, and a write that then waits for the lock finds it too old.
    if (!(this.#connection.inTransaction && statementKind(sql) === "write")) this.#seeSchema();
    return prepareStatement(this.#connection, sql);
  }

  /**
   * Makes the connection notice what other streams did to the schema. The engine notices only when a statement runs, so
   * that it would compile the next one, and name its columns, by the schema it knew before.
   */
  #seeSchema(): void {
    if (!this.#connection.inTransaction) this.#schemaSeen = false;
    if (this.#schemaSeen) return;
    try {
      this.#connection.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").raw().all();
    } catch (cause) {
      // A lock is waited for where the statement itself runs.
      if ((engineCode(cause) & 0xff) !== SQLITE_BUSY) throw cause;
    }
    this.#schemaSeen = this.#connection.inTransaction;
  }

  /** A sequence cannot be repeated from its middle: outside a transaction it starts only once the lock is to be had. */
  async #sequence(sql: string): Promise<void> {
    requireNoNul(sql);
    this.#clean = false;
    this.#seeSchema();
    await this.#whenFree(() => {
      if (this.#connection.inTransaction) return;
      this.#connection.exec("BEGIN IMMEDIATE");
      this.#connection.exec("COMMIT");
    });
    // One by one, because the engine's own way of running several ends the process on text that is not UTF-8.
    for (const statement of statementsIn(sql)) {
      runStatement(this.#connection, prepareStatement(this.#connection, statement), bindingsOf(statement, NO_ARGS));
    }
  }

  #describe(sql: string): Record<string, unknown> {
    requireOneStatement(sql);
    const prepared = this.#prepare(sql);
    const kind = statementKind(sql);
    return {
      params: parametersOf(sql).map((name) => ({ name })),
      cols: prepared.columns,
      is_explain: kind === "explain",
      is_readonly: kind !== "write",
    };
  }

  /** Repeats what the lock refused, letting other streams go on meanwhile. Nothing of a refused statement happened. */
  async #whenFree<T>(work: () => T): Promise<T> {
    const deadline = Date.now() + BUSY_WAIT_MS;
    for (let pause = 1; ; pause = Math.min(pause * 2, 20)) {
      try {
        return work();
      } catch (cause) {
        const code = engineCode(cause);
        if (code !== SQLITE_BUSY || Date.now() + pause > deadline) {
          if ((code & 0xff) === SQLITE_BUSY) this.#clean = false;
          throw cause;
        }
      }
      const clean = this.#clean;
      // A statement that the lock refused stays active: closed meanwhile, the connection is of no further use.
      this.#clean = false;
      await new Promise((resolve) => setTimeout(resolve, pause));
      this.#clean = clean;
      if (this.#closed) throw new StatementError("STREAM_CLOSED", "the stream was closed while it waited for a lock");
    }
  }
}

const NO_ARGS = { args: [], namedArgs: [] };

/** The engine would take the text to end there. */
function requireNoNul(sql: string): void {
  if (sql.includes("\0")) throw new StatementError("SQL_INVALID", "the SQL text holds U+0000; bind it as an argument");
}

function requireOneStatement(sql: string): void {
  if (!sql.includes(";") && !/^\s*(?:--|\/\*|$)/.test(sql)) return;
  const found = statementsIn(sql).length;
  if (found === 0) throw new StatementError("SQL_NO_STATEMENT", "the SQL text holds no statement");
  if (found > 1) throw new StatementError("SQL_MANY_STATEMENTS", "the SQL text holds more than one statement");
}

/** The lock is held; its extended codes (a snapshot too old, a recovery) do not pass by waiting. */
const SQLITE_BUSY = 5;

/** The engine's extended result code; 0 for an error of another origin. */
function engineCode(cause: unknown): number {
  return cause instanceof Error && "rawCode" in cause && typeof cause.rawCode === "number" ? cause.rawCode : 0;
}

function sqlError(cause: unknown): HranaError {
  if (cause instanceof HranaProtocolError || !(cause instanceof Error)) throw cause;
  const code = "code" in cause && typeof cause.code === "string" ? cause.code : "SQL_UNKNOWN";
  return { message: cause.message, code };
}
