/**
 * The spend limits of one org. A reservation is checked and inserted in one synchronous transaction, so no interleaving
 * of calls can exceed a limit. The rule is in `src/envelope`; this object reads and writes its state.
 */
import { DurableObject } from "cloudflare:workers";
import type { EnvelopeStatus, ReserveRequest, ReserveResult } from "../src/envelope/envelope.ts";
import type { ReservationState } from "../src/envelope/ledger.ts";
import {
  type CloseMessage,
  type ClosingResult,
  closingResult,
  type EnvelopeAnswer,
  type EnvelopeMessage,
  reserveResult,
} from "../src/envelope/messages.ts";
import { SqlEnvelopes } from "../src/envelope/sql-envelopes.ts";
import {
  CLOSED_KEPT_MS,
  type HeldReservation,
  type ReservationCursor,
  type UnreconciledReservation,
} from "../src/envelope/tables.ts";
import type { NanoUsd } from "../src/money/nano-usd.ts";
import { GroupCommit } from "./group-commit.ts";

/** A bill telemetry found for a reservation that was counted whole; without `actual`, nothing was sent. */
interface FoundBill {
  readonly reservationId: string;
  readonly actual?: NanoUsd | undefined;
}

/** Most reservations that one alarm expires before it yields to other messages. */
const EXPIRY_BATCH = 1_000;
/** Milliseconds between alarms. Closed rows may stay longer; expiry needs no precision, since it changes no sum. */
const PRUNE_EVERY_MS = 60_000;
const EXPIRE_EVERY_MS = 1_000;
const PRUNE_ENVELOPES_EVERY_MS = 60 * 60_000;

export class SpendEnvelopes extends DurableObject {
  readonly #books: SqlEnvelopes;
  readonly #commit: GroupCommit<EnvelopeMessage, EnvelopeAnswer>;
  #alarmAt: number | undefined;
  #envelopesPrunedAt = 0;

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env);
    this.#books = new SqlEnvelopes(ctx.storage.sql);
    this.#commit = new GroupCommit(ctx.storage, (messages) => this.#answerAll(messages));
    void ctx.blockConcurrencyWhile(async () => {
      this.#alarmAt = (await ctx.storage.getAlarm()) ?? undefined;
    });
  }

  /** Answers several messages in their order. */
  exchange(messages: readonly EnvelopeMessage[]): Promise<readonly EnvelopeAnswer[]> {
    return this.#commit.run(messages);
  }

  async reserve(request: ReserveRequest): Promise<ReserveResult> {
    return reserveResult(await this.#one({ type: "reserve", request }));
  }

  /**
   * Books the bill in place of the reservation. Without a bill the whole reservation counts as spent. `keyId` settles
   * for a client.
   */
  settle(reservationId: string, actual: NanoUsd | undefined, keyId?: string): Promise<ClosingResult> {
    return this.#close({ type: "close", reservationId, closing: { type: "settle", actual }, keyId });
  }

  /** Releases the reservation, because nothing was sent. */
  release(reservationId: string, keyId?: string): Promise<ClosingResult> {
    return this.#close({ type: "close", reservationId, closing: { type: "release" }, keyId });
  }

  async #close(message: CloseMessage): Promise<ClosingResult> {
    return closingResult(await this.#one(message));
  }

  async #one(message: EnvelopeMessage): Promise<EnvelopeAnswer> {
    const [answer] = await this.#commit.run([message]);
    if (!answer) throw new Error("a message was left without an answer");
    return answer;
  }

  #answerAll(messages: readonly EnvelopeMessage[]): readonly EnvelopeAnswer[] {
    const now = Date.now();
    const answers = this.#books.answerAll(messages, now);
    // An alarm that finds nothing due is harmless, so every message sets it as if it had been granted.
    const due = messages.map((message) => (message.type === "reserve" ? message.request.ttlMs : CLOSED_KEPT_MS));
    this.#wakeBy(now + Math.min(...due));
    return answers;
  }

  /**
   * Returns the figures of all envelopes still kept, or of the given ones. One that no call has declared yet is left
   * out.
   */
  status(ids?: readonly string[]): EnvelopeStatus[] {
    return this.#books.status(ids);
  }

  /** Returns undefined where no such reservation is kept. */
  stateOf(reservationId: string): ReservationState | undefined {
    return this.#books.stateOf(reservationId);
  }

  /** Returns the reservations that hold money of an envelope, newest first. */
  held(envelopeId: string, limit: number): HeldReservation[] {
    return this.#books.held(envelopeId, limit);
  }

  /** Returns a page of the reservations that count as spent whole because their bill is unknown, newest first. */
  unreconciled(limit: number, after?: ReservationCursor): UnreconciledReservation[] {
    return this.#books.unreconciled(limit, after);
  }

  /** Replaces assumed amounts by the bills in telemetry. Returns how many were corrected. */
  async reconcile(bills: readonly FoundBill[]): Promise<number> {
    const answers = await this.#commit.run(
      bills.map(({ reservationId, actual }) => ({
        type: "reconcile",
        reservationId,
        closing: actual === undefined ? { type: "release" } : { type: "settle", actual },
      })),
    );
    return answers.filter((answer) => answer.type === "close" && answer.result.booked).length;
  }

  /** Expires reservations and deletes what is no longer needed. Safe to run twice. */
  override alarm(): void {
    const now = Date.now();
    this.#alarmAt = undefined;
    const expired = this.ctx.storage.transactionSync(() => {
      const due = this.#books.expire(now, EXPIRY_BATCH);
      this.#books.pruneReservations(now);
      if (now - this.#envelopesPrunedAt >= PRUNE_ENVELOPES_EVERY_MS) {
        this.#books.pruneEnvelopes(now);
        this.#envelopesPrunedAt = now;
      }
      return due;
    });
    if (expired === EXPIRY_BATCH) this.#wakeBy(now);
    const { open, closed } = this.#books.nextDue();
    if (open !== undefined) this.#wakeBy(Math.max(open, now + EXPIRE_EVERY_MS));
    if (closed !== undefined) this.#wakeBy(Math.max(closed, now + PRUNE_EVERY_MS));
  }

  /** An early alarm finds nothing to do and sets the next one; only a late alarm would be wrong. */
  #wakeBy(at: number): void {
    if (this.#alarmAt !== undefined && this.#alarmAt <= at) return;
    this.#alarmAt = at;
    // The output gate withholds answers until this is stored, and resets the object if it cannot be stored.
    void this.ctx.storage.setAlarm(at);
  }
}
