/** SQL of the spend envelopes: balances, and reservations by due time. Contains no rules. */
import type { NanoUsd } from "../money/nano-usd.ts";
import type { EnvelopeClaim, EnvelopeScope, EnvelopeStatus, MadeFor } from "./envelope.ts";
import type { Booking, Reservation, ReservationState } from "./ledger.ts";
import type { EnvelopeBalance } from "./reserve.ts";

/** SQLite as its host provides it: a Durable Object's storage at the edge, libSQL on a user's machine. */
export interface Sql {
  /** Runs one statement, or several without bindings. */
  exec<Row extends Record<string, string | number | null>>(
    query: string,
    ...bindings: (string | number | null)[]
  ): Iterable<Row>;
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** How long closed reservations are kept for late repeats of their messages, and assumed ones for their bills. */
export const CLOSED_KEPT_MS = 10 * MINUTE_MS;
const ASSUMED_KEPT_MS = 40 * DAY_MS;
/** Envelopes without a period (runs, replays) are deleted after this long without use. */
const IDLE_KEPT_MS = 30 * DAY_MS;
const PAST_PERIOD_KEPT_MS = 7 * DAY_MS;

/**
 * `due_at`: when an open reservation expires, and when any other is dropped. Two partial indexes, so that looking for
 * open reservations never walks over closed ones.
 */
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS envelopes (
    id TEXT PRIMARY KEY, scope TEXT NOT NULL, limit_nano INTEGER NOT NULL,
    spent INTEGER NOT NULL DEFAULT 0, reserved INTEGER NOT NULL DEFAULT 0, overrun INTEGER NOT NULL DEFAULT 0,
    resets_at INTEGER, used_at INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS reservations (
    id TEXT PRIMARY KEY, state TEXT NOT NULL, worst_case INTEGER NOT NULL,
    envelopes TEXT NOT NULL, reserved_at INTEGER NOT NULL, due_at INTEGER NOT NULL,
    key_id TEXT, made_for TEXT
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS reservations_open ON reservations (due_at) WHERE state = 'open';
  CREATE INDEX IF NOT EXISTS reservations_closed ON reservations (due_at) WHERE state <> 'open';
  CREATE INDEX IF NOT EXISTS reservations_assumed ON reservations (reserved_at) WHERE state = 'assumed';
`;

export interface StoredReservation extends Reservation {
  /** Ids of the envelopes that it draws on; none = it was released before it was made. */
  readonly envelopes: readonly string[];
  readonly reservedAt: number;
  /** Epoch ms at which an open reservation expires, and at which any other is dropped. */
  readonly dueAt: number;
  readonly keyId: string | undefined;
  readonly madeFor: MadeFor | undefined;
}

/** A reservation that holds money of an envelope: its call is running, or its bill is unknown. */
export interface HeldReservation extends StoredReservation {
  readonly reservationId: string;
  readonly state: "open" | "assumed";
}

/** Position at which a page of reservations ended. */
export interface ReservationCursor {
  readonly reservedAt: number;
  readonly reservationId: string;
}

export interface StoredBalance extends EnvelopeBalance {
  readonly limit: NanoUsd;
}

/** Change of one envelope's figures. */
export type EnvelopeChange = Pick<Booking, "spent" | "reserved" | "overrun">;

export interface UnreconciledReservation {
  readonly reservationId: string;
  readonly worstCase: NanoUsd;
  readonly reservedAt: number;
}

export class EnvelopeTables {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
    sql.exec(SCHEMA);
    this.#addColumns();
  }

  /** Migrates tables from before reservations recorded who made them. */
  #addColumns(): void {
    const [table] = this.#sql.exec<{ sql: string }>("SELECT sql FROM sqlite_master WHERE name = 'reservations'");
    if (table?.sql.includes("key_id")) return;
    this.#sql.exec(
      "ALTER TABLE reservations ADD COLUMN key_id TEXT; ALTER TABLE reservations ADD COLUMN made_for TEXT;",
    );
  }

  /** Returns those that are kept, by id. */
  reservations(ids: readonly string[]): Map<string, StoredReservation> {
    const rows = this.#sql.exec<ReservationRow>(
      `SELECT ${RESERVATION} FROM reservations WHERE id IN (SELECT value FROM json_each(?))`,
      JSON.stringify(ids),
    );
    return new Map([...rows].map((row) => [row.id, storedOf(row)]));
  }

  /** Returns those that were declared, by id. */
  balances(ids: readonly string[]): Map<string, StoredBalance> {
    if (ids.length === 0) return new Map();
    const rows = this.#sql.exec<{ id: string; limit_nano: NanoUsd; spent: NanoUsd; reserved: NanoUsd }>(
      "SELECT id, limit_nano, spent, reserved FROM envelopes WHERE id IN (SELECT value FROM json_each(?))",
      JSON.stringify(ids),
    );
    return new Map([...rows].map(({ id, limit_nano: limit, spent, reserved }) => [id, { limit, spent, reserved }]));
  }

  /** Records limits that are new or were changed. */
  declare(claims: readonly EnvelopeClaim[], now: number): void {
    if (claims.length === 0) return;
    this.#sql.exec(
      `INSERT INTO envelopes (id, scope, limit_nano, resets_at, used_at)
       SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, ? FROM json_each(?) WHERE true
       ON CONFLICT (id) DO UPDATE SET limit_nano = excluded.limit_nano`,
      now,
      JSON.stringify(claims.map(({ id, scope, limit, resetsAt }) => [id, scope, limit, resetsAt ?? null])),
    );
  }

  /** Stores reservations that are new or whose state changed. */
  keep(reservations: ReadonlyMap<string, StoredReservation>): void {
    if (reservations.size === 0) return;
    this.#sql.exec(
      `INSERT INTO reservations (${RESERVATION})
       SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7
       FROM json_each(?) WHERE true
       ON CONFLICT (id) DO UPDATE SET state = excluded.state, due_at = excluded.due_at`,
      JSON.stringify([...reservations].map(([id, reservation]) => rowOf(id, reservation))),
    );
  }

  change(changes: ReadonlyMap<string, EnvelopeChange>, now: number): void {
    if (changes.size === 0) return;
    this.#sql.exec(
      `UPDATE envelopes SET spent = spent + (d.value ->> 1), reserved = reserved + (d.value ->> 2),
         overrun = overrun + (d.value ->> 3), used_at = ?
       FROM json_each(?) AS d WHERE envelopes.id = d.value ->> 0`,
      now,
      JSON.stringify([...changes].map(([id, { spent, reserved, overrun }]) => [id, spent, reserved, overrun])),
    );
  }

  /** Returns when the oldest open reservation of an envelope expires. */
  nextExpiry(envelopeId: string): number | undefined {
    const [row] = this.#sql.exec<{ due_at: number }>(
      "SELECT due_at FROM reservations WHERE state = 'open' AND instr(envelopes, ?) > 0 ORDER BY due_at LIMIT 1",
      JSON.stringify(envelopeId),
    );
    return row?.due_at;
  }

  /** Returns open reservations that have expired, oldest first. */
  expired(now: number, limit: number): string[] {
    const rows = this.#sql.exec<{ id: string }>(
      "SELECT id FROM reservations WHERE state = 'open' AND due_at <= ? ORDER BY due_at LIMIT ?",
      now,
      limit,
    );
    return [...rows].map(({ id }) => id);
  }

  /** Returns a page, newest first, after the cursor where one is given. */
  assumed(limit: number, after: ReservationCursor | undefined): UnreconciledReservation[] {
    const rows = this.#sql.exec<{ id: string; worst_case: NanoUsd; reserved_at: number }>(
      `SELECT id, worst_case, reserved_at FROM reservations
       WHERE state = 'assumed' AND (reserved_at, id) < (?, ?) ORDER BY reserved_at DESC, id DESC LIMIT ?`,
      after?.reservedAt ?? Number.MAX_SAFE_INTEGER,
      after?.reservationId ?? "",
      limit,
    );
    return [...rows].map((row) => ({
      reservationId: row.id,
      worstCase: row.worst_case,
      reservedAt: row.reserved_at,
    }));
  }

  /** Returns the reservations that hold money of an envelope, newest first. */
  held(envelopeId: string, limit: number): HeldReservation[] {
    const rows = this.#sql.exec<ReservationRow>(
      `SELECT ${RESERVATION} FROM reservations
       WHERE state IN ('open', 'assumed') AND instr(envelopes, ?) > 0 ORDER BY reserved_at DESC, id LIMIT ?`,
      JSON.stringify(envelopeId),
      limit,
    );
    return [...rows].map((row) => {
      const state = row.state === "open" ? "open" : "assumed";
      return { ...storedOf(row), state, reservationId: row.id };
    });
  }

  status(ids: readonly string[] | undefined): EnvelopeStatus[] {
    const columns = "id, scope, limit_nano, spent, reserved, overrun, resets_at";
    const rows = ids
      ? this.#sql.exec<StatusRow>(
          `SELECT ${columns} FROM envelopes WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id`,
          JSON.stringify(ids),
        )
      : this.#sql.exec<StatusRow>(`SELECT ${columns} FROM envelopes ORDER BY id`);
    return [...rows].map(({ limit_nano, resets_at, ...figures }) => ({
      ...figures,
      limit: limit_nano,
      resetsAt: resets_at ?? undefined,
    }));
  }

  pruneReservations(now: number): void {
    this.#sql.exec("DELETE FROM reservations WHERE state <> 'open' AND due_at <= ?", now);
  }

  pruneEnvelopes(now: number): void {
    this.#sql.exec(
      "DELETE FROM envelopes WHERE reserved = 0 AND (resets_at < ? OR (resets_at IS NULL AND used_at < ?))",
      now - PAST_PERIOD_KEPT_MS,
      now - IDLE_KEPT_MS,
    );
  }

  /** Returns the earliest instants at which an open reservation expires and at which a closed one can be dropped. */
  nextDue(): { readonly open: number | undefined; readonly closed: number | undefined } {
    const first = (where: string): number | undefined => {
      const [row] = this.#sql.exec<{ due_at: number }>(
        `SELECT due_at FROM reservations WHERE ${where} ORDER BY due_at LIMIT 1`,
      );
      return row?.due_at;
    };
    return { open: first("state = 'open'"), closed: first("state <> 'open'") };
  }
}

/** Columns of a reservation, in the order of `rowOf`. */
const RESERVATION = "id, state, worst_case, envelopes, reserved_at, due_at, key_id, made_for";

type ReservationRow = {
  id: string;
  state: ReservationState;
  worst_case: NanoUsd;
  envelopes: string;
  reserved_at: number;
  due_at: number;
  key_id: string | null;
  made_for: string | null;
};

function storedOf(row: ReservationRow): StoredReservation {
  return {
    state: row.state,
    worstCase: row.worst_case,
    envelopes: JSON.parse(row.envelopes) as readonly string[],
    reservedAt: row.reserved_at,
    dueAt: row.due_at,
    keyId: row.key_id ?? undefined,
    madeFor: row.made_for === null ? undefined : (JSON.parse(row.made_for) as MadeFor),
  };
}

function rowOf(id: string, { state, worstCase, envelopes, ...more }: StoredReservation): readonly unknown[] {
  const { reservedAt, dueAt, keyId, madeFor } = more;
  const about = madeFor === undefined ? null : JSON.stringify(madeFor);
  return [id, state, worstCase, JSON.stringify(envelopes), reservedAt, dueAt, keyId ?? null, about];
}

/** Milliseconds for which a reservation that is not open is kept. */
export function keptFor(state: ReservationState): number {
  return state === "assumed" ? ASSUMED_KEPT_MS : CLOSED_KEPT_MS;
}

type StatusRow = {
  id: string;
  scope: EnvelopeScope;
  limit_nano: NanoUsd;
  spent: NanoUsd;
  reserved: NanoUsd;
  overrun: NanoUsd;
  resets_at: number | null;
};
