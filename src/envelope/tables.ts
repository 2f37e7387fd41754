/** SQL of the spend envelopes: balances, and reservations by due time. Contains no rules. */
import type { NanoUsd } from "../money/nano-usd.ts";
import type { EnvelopeClaim, EnvelopeScope, EnvelopeStatus, MadeFor, ReserveRequest } from "./envelope.ts";
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
  /** Ids of the envelopes that it draws on, as a JSON array; `[]` = it was released before it was made. */
  readonly envelopes: string;
  readonly keyId: string | undefined;
  readonly madeFor: MadeFor | undefined;
}

/** A reservation that holds money of an envelope: its call is running, or its bill is unknown. */
export interface HeldReservation {
  readonly reservationId: string;
  readonly state: "open" | "assumed";
  readonly worstCase: NanoUsd;
  readonly reservedAt: number;
  readonly envelopes: readonly string[];
  readonly keyId: string | undefined;
  readonly madeFor: MadeFor | undefined;
}

/** Position at which a page of reservations ended. */
export interface ReservationCursor {
  readonly reservedAt: number;
  readonly reservationId: string;
}

interface StoredBalance extends EnvelopeBalance {
  readonly limit: NanoUsd;
}

export interface UnreconciledReservation {
  readonly reservationId: string;
  readonly worstCase: NanoUsd;
  readonly reservedAt: number;
}

const NOTHING_DRAWN_ON = "[]";

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

  reservation(id: string): StoredReservation | undefined {
    const [row] = this.#sql.exec<ReservationRow>(
      "SELECT state, worst_case, envelopes, key_id, made_for FROM reservations WHERE id = ?",
      id,
    );
    return row && storedOf(row);
  }

  /**
   * Moves an open reservation into its next state. Returns undefined where it is not open or belongs to another key.
   */
  takeOpen(id: string, state: ReservationState, now: number, keyId: string | undefined): StoredReservation | undefined {
    const [row] = this.#sql.exec<ReservationRow>(
      `UPDATE reservations SET state = ?, due_at = ? WHERE id = ? AND state = 'open' AND (? IS NULL OR key_id = ?)
       RETURNING 'open' AS state, worst_case, envelopes, key_id, made_for`,
      state,
      now + keptFor(state),
      id,
      keyId ?? null,
      keyId ?? null,
    );
    return row && storedOf(row);
  }

  balances(claims: readonly EnvelopeClaim[]): Map<string, StoredBalance> {
    const rows = this.#sql.exec<{ id: string; limit_nano: NanoUsd; spent: NanoUsd; reserved: NanoUsd }>(
      "SELECT id, limit_nano, spent, reserved FROM envelopes WHERE id IN (SELECT value FROM json_each(?))",
      idsOf(claims),
    );
    const balances = new Map<string, StoredBalance>();
    for (const { id, limit_nano, spent, reserved } of rows) balances.set(id, { limit: limit_nano, spent, reserved });
    return balances;
  }

  /** Records limits that are new or were changed. */
  declare(claims: readonly EnvelopeClaim[], known: ReadonlyMap<string, StoredBalance>, now: number): void {
    for (const { id, scope, limit, resetsAt } of claims) {
      if (known.get(id)?.limit === limit) continue;
      this.#sql.exec(
        `INSERT INTO envelopes (id, scope, limit_nano, resets_at, used_at) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET limit_nano = excluded.limit_nano`,
        id,
        scope,
        limit,
        resetsAt ?? null,
        now,
      );
    }
  }

  /** Stores the reservation. Returns false where its id is known already. */
  insert({ reservationId, claims, worstCase, ttlMs, keyId, madeFor }: ReserveRequest, now: number): boolean {
    const envelopes = idsOf(claims);
    const about = madeFor === undefined ? null : JSON.stringify(madeFor);
    return this.#add([reservationId, "open", worstCase, envelopes, now, now + ttlMs, keyId ?? null, about]);
  }

  hold({ claims, worstCase }: ReserveRequest, now: number): void {
    this.#sql.exec(
      "UPDATE envelopes SET reserved = reserved + ?, used_at = ? WHERE id IN (SELECT value FROM json_each(?))",
      worstCase,
      now,
      idsOf(claims),
    );
  }

  /** True where a stored reservation equals the requested one. */
  isSame(stored: StoredReservation, { claims, worstCase, keyId }: ReserveRequest): boolean {
    return stored.envelopes === idsOf(claims) && stored.worstCase === worstCase && stored.keyId === keyId;
  }

  /** Reserves the id of a reservation that must not be made any more. */
  forbid(reservationId: string, now: number): void {
    this.#add([reservationId, "released", 0, NOTHING_DRAWN_ON, now, now + CLOSED_KEPT_MS, null, null]);
  }

  isForbidden(reservation: StoredReservation): boolean {
    return reservation.state === "released" && reservation.envelopes === NOTHING_DRAWN_ON;
  }

  /** Moves a reservation that is not open into its next state. */
  restate(id: string, state: ReservationState, now: number): void {
    this.#sql.exec("UPDATE reservations SET state = ?, due_at = ? WHERE id = ?", state, now + keptFor(state), id);
  }

  book(reservation: Pick<StoredReservation, "envelopes">, booking: Booking): void {
    this.#sql.exec(
      `UPDATE envelopes SET spent = spent + ?, reserved = reserved + ?, overrun = overrun + ?
       WHERE id IN (SELECT value FROM json_each(?))`,
      booking.spent,
      booking.reserved,
      booking.overrun,
      reservation.envelopes,
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
    const rows = this.#sql.exec<ReservationRow & { id: string; reserved_at: number }>(
      `SELECT id, state, worst_case, envelopes, reserved_at, key_id, made_for FROM reservations
       WHERE state IN ('open', 'assumed') AND instr(envelopes, ?) > 0 ORDER BY reserved_at DESC, id LIMIT ?`,
      JSON.stringify(envelopeId),
      limit,
    );
    return [...rows].map((row) => ({
      ...storedOf(row),
      state: row.state === "open" ? "open" : "assumed",
      reservationId: row.id,
      reservedAt: row.reserved_at,
      envelopes: JSON.parse(row.envelopes) as readonly string[],
    }));
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

  /** Inserts the values in the order of the columns below. Returns false where the id is taken. */
  #add(values: readonly (string | number | null)[]): boolean {
    const added = this.#sql.exec<{ id: string }>(
      `INSERT INTO reservations (id, state, worst_case, envelopes, reserved_at, due_at, key_id, made_for)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING RETURNING id`,
      ...values,
    );
    return [...added].length > 0;
  }
}

type ReservationRow = {
  state: ReservationState;
  worst_case: NanoUsd;
  envelopes: string;
  key_id: string | null;
  made_for: string | null;
};

function storedOf(row: ReservationRow): StoredReservation {
  return {
    state: row.state,
    worstCase: row.worst_case,
    envelopes: row.envelopes,
    keyId: row.key_id ?? undefined,
    madeFor: row.made_for === null ? undefined : (JSON.parse(row.made_for) as MadeFor),
  };
}

function keptFor(state: ReservationState): number {
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

function idsOf(claims: readonly EnvelopeClaim[]): string {
  return JSON.stringify(claims.map((claim) => claim.id));
}
