import type { AuditStamp } from "../identity/audit-stamp.ts";
import type { Swap } from "./swap.ts";

/** What is written when a swap is executed: all of it or nothing. */
export interface SwapExecution {
  readonly swap: Extract<Swap, { state: "executed" }>;
  /** The proposal's state as it was read; it becomes approved. Absent where it was approved before. */
  readonly approveFrom: "evidenced" | undefined;
}

/** Swaps of one org. */
export interface SwapStore {
  get(id: string): Promise<Swap | undefined>;
  findByProposal(proposal: string): Promise<Swap | undefined>;
  /** Newest first. */
  list(filter: { readonly route?: string | undefined; readonly limit: number }): Promise<readonly Swap[]>;
  /**
   * Records the swap, approves its proposal and supersedes the route's other open ones: their baseline is gone.
   * False where the proposal has a swap or changed its state meanwhile; then nothing is written.
   */
  execute(execution: SwapExecution): Promise<boolean>;
  /** False where there is no such swap, or it was reverted before. */
  revert(id: string, stamp: AuditStamp): Promise<boolean>;
}
