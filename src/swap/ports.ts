import type { AuditStamp } from "../identity/audit-stamp.ts";
import type { Swap } from "./swap.ts";
import type { SwapEvent } from "./transitions.ts";

/** What is written when a swap is approved: all of it or nothing. */
export interface SwapApproval {
  readonly swap: Extract<Swap, { state: "approved" }>;
  /** The proposal's state as it was read; it becomes approved. Absent where it was approved before. */
  readonly approveFrom: "evidenced" | undefined;
}

/** Swaps of one org. */
export interface SwapStore {
  get(id: string): Promise<Swap | undefined>;
  findByProposal(proposal: string): Promise<Swap | undefined>;
  /** Newest first. */
  list(filter: { readonly route?: string | undefined; readonly limit: number }): Promise<readonly Swap[]>;
  /** Those that are approved and not yet served. */
  awaited(): Promise<readonly Swap[]>;
  /**
   * Records the swap, approves its proposal and supersedes the route's other open ones: their baseline is gone.
   * False where the proposal has a swap or changed its state meanwhile; then nothing is written.
   */
  approve(approval: SwapApproval): Promise<boolean>;
  /** False where there is no such swap, or its state does not allow it; then nothing is written. */
  change(id: string, event: SwapEvent, stamp: AuditStamp): Promise<boolean>;
}
