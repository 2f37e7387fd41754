import type { ReservationCursor } from "../../envelope/tables.ts";
import type { AuditStamp } from "../../identity/audit-stamp.ts";
import type { NanoUsd } from "../../money/nano-usd.ts";

/** Who does what upkeep changes, in the audit log. */
export const UPKEEP_ACTOR = "cycle:upkeep";

/** A bill found for a reservation that was counted whole. */
interface FoundBill {
  readonly reservationId: string;
  readonly actual: NanoUsd;
}

/** What upkeep needs of one org. Each method is one round trip. */
export interface OrgUpkeep {
  /** Returns how many open proposals past their expiry became expired. */
  expireProposals(stamp: AuditStamp): Promise<number>;
  /** Returns how many approved swaps turned out to be served, or were abandoned. One round trip, and one for each. */
  settleSwaps(): Promise<number>;
  /** A page of the reservations that count as spent whole because their bill never came, newest first. */
  unreconciled(limit: number, after: ReservationCursor | undefined): Promise<readonly ReservationCursor[]>;
  /** Costs telemetry knows of these; `undefined` = arrived, cost unknown. */
  attemptCosts(ids: readonly string[]): Promise<ReadonlyMap<string, NanoUsd | undefined>>;
  /** Answers how many were corrected. */
  reconcile(bills: readonly FoundBill[]): Promise<number>;
  /** Hours ended by `endedBy` that wait for their sums, oldest first. */
  staleHours(endedBy: number, limit: number): Promise<readonly number[]>;
  rollUp(hour: number): Promise<void>;
  /** Days raw telemetry is kept; undefined = for ever. */
  retentionDays(): Promise<number | undefined>;
  /** Moves the retention mark a step towards `horizon`; false where it moved no further. */
  advanceRetention(horizon: number): Promise<boolean>;
  /** Moves raw rows from before the mark into sums; fewer than `limit` = none is left. */
  moveRaw(limit: number, stamp: AuditStamp): Promise<number>;
  /** Takes the text from artifacts older than `horizon`; fewer than `limit` = none is left. */
  forgetArtifacts(horizon: number, limit: number, stamp: AuditStamp): Promise<number>;
  /** Deletes kept responses that expired or are past retention by `now`; fewer than `limit` = none is left. */
  expireResponses(now: number, limit: number): Promise<number>;
}

export interface UpkeepPorts {
  /** Ids of all orgs. */
  orgs(): Promise<readonly string[]>;
  forOrg(org: string): OrgUpkeep;
  /** Epoch milliseconds. */
  now(): number;
  /** Something that failed and was left for the next run. */
  report(problem: { readonly org: string; readonly task: string; readonly error: unknown }): void;
}
