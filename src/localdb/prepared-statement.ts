import type Database from "libsql";
import { guardedSql, unguarded } from "./guarded-sql.ts";
import { encodeValue, type SqlValue } from "./hrana-value.ts";

interface Column {
  readonly name: string;
  /** As declared by the table; `null` for an expression. */
  readonly decltype: string | null;
}

/** A compiled statement and how its values are read. */
export interface PreparedStatement {
  readonly statement: Database.Statement<[SqlValue[]]>;
  /** Empty where it answers no rows. */
  readonly columns: readonly Column[];
  readonly reads: boolean;
  /** The statement answers guarded values. */
  readonly guarded: boolean;
  /** It changes rows, or may. */
  readonly changes: boolean;
}

/** A statement's result as Hrana states it. */
export interface StatementOutcome {
  readonly cols: readonly Column[];
  readonly rows: readonly (readonly Record<string, unknown>[])[];
  readonly affected_row_count: number;
  readonly last_insert_rowid: string | null;
}

/** Throws the engine's error where it does not compile. */
export function prepareStatement(connection: Database.Database, sql: string): PreparedStatement {
  const prepared = connection.prepare<[SqlValue[]]>(sql);
  if (!prepared.reader) return { statement: prepared, columns: [], reads: false, guarded: false, changes: true };
  const columns = prepared.columns().map(({ name, type }) => ({ name, decltype: type }));
  const guarded = guard(connection, sql, columns);
  return {
    statement: (guarded ?? prepared).raw(),
    columns,
    reads: true,
    guarded: guarded !== undefined,
    changes: /\breturning\b/i.test(sql),
  };
}

/** `undefined` where the statement is run as it stands. */
function guard(
  connection: Database.Database,
  sql: string,
  columns: readonly Column[],
): Database.Statement<[SqlValue[]]> | undefined {
  const names = columns.map(({ name }) => name);
  const guarded = guardedSql(sql, names);
  if (guarded === undefined) return undefined;
  try {
    return connection.prepare<[SqlValue[]]>(guarded);
  } catch {
    // Such as a deeper nesting than the engine takes: the statement as it stands was accepted.
    return undefined;
  }
}

/** Runs it to its end. Throws the engine's error, and `StatementError` for a text that JSON cannot hold. */
export function runStatement(
  connection: Database.Database,
  { statement, columns, reads, guarded, changes }: PreparedStatement,
  args: SqlValue[],
): StatementOutcome {
  if (!reads) {
    const { changes: affected } = statement.run(args);
    return {
      cols: [],
      rows: [],
      affected_row_count: affected,
      last_insert_rowid: figure(connection, "last_insert_rowid()"),
    };
  }
  const before = changes ? figure(connection, "total_changes()") : "0";
  const plain = (value: unknown, at: number): unknown => (guarded ? unguarded(value, columns[at]?.name ?? "") : value);
  const read = () => {
    const rows = statement.all(args) as unknown[][];
    return rows.map((row) => row.map((value, at) => encodeValue(plain(value, at))));
  };
  return {
    cols: columns,
    rows: changes ? undoneOnError(connection, read) : read(),
    affected_row_count: changes ? Number(figure(connection, "total_changes()")) - Number(before) : 0,
    last_insert_rowid: changes ? figure(connection, "last_insert_rowid()") : null,
  };
}

/**
 * What a statement outside a transaction changed is undone where its rows cannot be answered: its error means that
 * nothing happened. The lock is taken first, because a statement that the lock refused stays active and would keep its
 * transaction from ending. Inside a transaction, whoever opened it decides.
 */
function undoneOnError<T>(connection: Database.Database, work: () => T): T {
  if (connection.inTransaction) return work();
  connection.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    connection.exec("COMMIT");
    return result;
  } catch (cause) {
    if (connection.inTransaction) connection.exec("ROLLBACK");
    throw cause;
  }
}

function figure(connection: Database.Database, expression: "last_insert_rowid()" | "total_changes()"): string {
  // Read to its end: a statement left in the middle keeps its read lock.
  const [row] = connection.prepare(`select ${expression}`).raw().all();
  return String(Array.isArray(row) ? row[0] : 0);
}
