/**
 * Spend envelopes of one machine, in one SQLite file that any number of processes share. Each reservation is checked and
 * inserted in one immediate transaction: two processes never both get the last room.
 */
import Database from "libsql";
import type { EnvelopeStatus, ReserveRequest, ReserveResult } from "../envelope/envelope.ts";
import type { Closing } from "../envelope/ledger.ts";
import { type ClosingResult, closingResult, reserveResult } from "../envelope/messages.ts";
import { SqlEnvelopes } from "../envelope/sql-envelopes.ts";
import type { Sql } from "../envelope/tables.ts";
import type { NanoUsd } from "../money/nano-usd.ts";

/** How long a transaction of another process is waited for; it takes microseconds unless that process is stopped. */
const LOCK_WAIT_MS = 10_000;
const RETRY_MS = 10;
const EXPIRY_BATCH = 1_000;
const PRUNE_EVERY_MS = 60_000;

/** Every method throws where the file cannot be read or written: the caller refuses what it cannot book. */
export interface LocalEnvelopes {
  reserve(request: ReserveRequest): ReserveResult;
  /** Without a bill the whole reservation counts as spent. */
  settle(reservationId: string, actual: NanoUsd | undefined): ClosingResult;
  release(reservationId: string): ClosingResult;
  status(ids?: readonly string[]): EnvelopeStatus[];
  close(): void;
}

export function openLocalEnvelopes(file: string, now: () => number): LocalEnvelopes {
  const db = new Database(file, { timeout: LOCK_WAIT_MS });
  // The engine refuses this at once, without waiting, where another process opens the new file at the same moment.
  whenUnlocked(() => db.exec("PRAGMA journal_mode = WAL"));
  // Money survives a power cut, too: every grant is on the disk before anything is sent.
  db.exec("PRAGMA synchronous = FULL");
  let prunedAt = 0;

  const immediately = <T>(work: (at: number) => T): T => {
    db.exec("BEGIN IMMEDIATE");
    try {
      const result = work(now());
      db.exec("COMMIT");
      return result;
    } catch (cause) {
      if (db.inTransaction) db.exec("ROLLBACK");
      throw cause;
    }
  };
  const books = immediately(() => new SqlEnvelopes(sqlOf(db)));
  /** There is no alarm: whoever comes next finds what is due. */
  const upkeep = (at: number): void => {
    while (books.expire(at, EXPIRY_BATCH) === EXPIRY_BATCH);
    if (at - prunedAt < PRUNE_EVERY_MS) return;
    prunedAt = at;
    books.pruneReservations(at);
    books.pruneEnvelopes(at);
  };
  const close = (reservationId: string, closing: Closing): ClosingResult =>
    closingResult(immediately((at) => books.answer({ type: "close", reservationId, closing }, at)));
  return {
    reserve: (request) =>
      reserveResult(
        immediately((at) => {
          upkeep(at);
          return books.answer({ type: "reserve", request }, at);
        }),
      ),
    settle: (id, actual) => close(id, { type: "settle", actual }),
    release: (id) => close(id, { type: "release" }),
    status: (ids) =>
      immediately((at) => {
        upkeep(at);
        return books.status(ids);
      }),
    close: () => void db.close(),
  };
}

function whenUnlocked(work: () => void): void {
  const idle = new Int32Array(new SharedArrayBuffer(4));
  for (let waited = 0; ; waited += RETRY_MS) {
    try {
      work();
      return;
    } catch (cause) {
      const isLocked = cause instanceof Error && "code" in cause && String(cause.code).startsWith("SQLITE_BUSY");
      if (!isLocked || waited >= LOCK_WAIT_MS) throw cause;
      Atomics.wait(idle, 0, 0, RETRY_MS);
    }
  }
}

function sqlOf(db: Database.Database): Sql {
  const statements = new Map<string, Database.Statement>();
  return {
    exec<Row extends Record<string, string | number | null>>(query: string, ...bindings: (string | number | null)[]) {
      if (bindings.length === 0 && query.trimEnd().endsWith(";")) {
        db.exec(query);
        return [];
      }
      const statement = statements.get(query) ?? db.prepare(query);
      statements.set(query, statement);
      if (statement.reader) return statement.all(...bindings) as Row[];
      statement.run(...bindings);
      return [];
    },
  };
}
