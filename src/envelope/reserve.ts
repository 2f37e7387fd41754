/** Decides whether a reservation fits all envelopes that cover it. Nothing is held unless all of them grant it. */
import { type NanoUsd, nanoUsd, ZERO_USD } from "../money/nano-usd.ts";
import type { EnvelopeClaim, ReserveRequest, ReserveResult } from "./envelope.ts";

/** What one envelope holds before the reservation. */
export interface EnvelopeBalance {
  readonly spent: NanoUsd;
  readonly reserved: NanoUsd;
}

type ReserveRefusal = Extract<ReserveResult, { granted: false }>;

/** Bounds of the Retry-After of a busy envelope: most calls settle long before their reservation would expire. */
const SHORTEST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 30_000;

/** Of several refusals, the more lasting one is reported. */
const LASTING = { envelope_busy: 0, envelope_spent: 1, envelope_too_small: 2, reservation_conflict: 3 } as const;

export interface EnvelopeBooks {
  /** `undefined` = never used. */
  readonly balance: (envelopeId: string) => EnvelopeBalance | undefined;
  /** Epoch ms at which the oldest open reservation of an envelope expires. Read only for a refusal. */
  readonly nextExpiry: (envelopeId: string) => number | undefined;
}

/**
 * Decides one reservation against the limits of its claims (the newest declaration of a limit applies). Throws
 * `RangeError` on negative or fractional amounts, which are mistakes of the calling code.
 */
export function decideReserve(
  request: Pick<ReserveRequest, "claims" | "worstCase">,
  books: EnvelopeBooks,
  now: number,
): ReserveResult {
  const worstCase = checkedAmount(request.worstCase);
  let refusal: ReserveRefusal | undefined;
  for (const claim of request.claims) {
    const refused = refusedBy(claim, worstCase, books, now);
    if (refused && (refusal === undefined || outlasts(refused, refusal))) refusal = refused;
  }
  return refusal ?? { granted: true };
}

/** Refuses a reservation that must not be made regardless of the limits, with the fields of a busy envelope. */
export function refuseBusy(
  { claims, worstCase }: Pick<ReserveRequest, "claims" | "worstCase">,
  books: EnvelopeBooks,
  now: number,
): ReserveResult {
  const [claim] = claims;
  return claim === undefined ? { granted: true } : busy(figuresOf(claim, checkedAmount(worstCase), books), books, now);
}

/** Refuses a reservation whose id belongs to another one. */
export function refuseConflict(
  { claims, worstCase }: Pick<ReserveRequest, "claims" | "worstCase">,
  books: EnvelopeBooks,
): ReserveResult {
  const [claim] = claims;
  if (claim === undefined) return { granted: true };
  return { ...figuresOf(claim, checkedAmount(worstCase), books), reason: "reservation_conflict" };
}

/** Returns the amount if it is not negative; throws `RangeError` otherwise. */
export function checkedAmount(value: NanoUsd): NanoUsd {
  if (value < 0) throw new RangeError(`not an amount that can be reserved or billed: ${value}`);
  return nanoUsd(value);
}

function refusedBy(
  claim: EnvelopeClaim,
  worstCase: NanoUsd,
  books: EnvelopeBooks,
  now: number,
): ReserveRefusal | undefined {
  const figures = figuresOf(claim, worstCase, books);
  const { limit, spent, reserved } = figures;
  if (spent + reserved + worstCase <= limit) return undefined;
  if (worstCase > limit) return { ...figures, reason: "envelope_too_small" };
  if (spent + worstCase > limit) return { ...figures, reason: "envelope_spent", resetsAt: claim.resetsAt };
  return busy(figures, books, now);
}

type RefusalFigures = Omit<ReserveRefusal, "reason" | "retryAfterMs" | "resetsAt">;

function figuresOf(claim: EnvelopeClaim, worstCase: NanoUsd, books: EnvelopeBooks): RefusalFigures {
  const { spent, reserved } = books.balance(claim.id) ?? { spent: ZERO_USD, reserved: ZERO_USD };
  return {
    granted: false,
    scope: claim.scope,
    envelopeId: claim.id,
    limit: checkedAmount(claim.limit),
    spent,
    reserved,
    worstCase,
  };
}

function busy(figures: RefusalFigures, books: EnvelopeBooks, now: number): ReserveRefusal {
  const untilExpiry = (books.nextExpiry(figures.envelopeId) ?? now) - now;
  const retryAfterMs = Math.min(LONGEST_RETRY_MS, Math.max(SHORTEST_RETRY_MS, untilExpiry));
  return { ...figures, reason: "envelope_busy", retryAfterMs };
}

/** Of two spent envelopes, returns the one that opens later, or never. */
function outlasts(a: ReserveRefusal, b: ReserveRefusal): boolean {
  if (a.reason !== b.reason) return LASTING[a.reason] > LASTING[b.reason];
  if (a.reason === "envelope_spent") return (a.resetsAt ?? Infinity) > (b.resetsAt ?? Infinity);
  return (a.retryAfterMs ?? 0) > (b.retryAfterMs ?? 0);
}
