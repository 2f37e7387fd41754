import type { RevertedSwapOf } from "../proposal/file.ts";
import type { SwapStore } from "./ports.ts";

/** What filing a proposal asks of an org's swaps. */
export function revertedIn(swaps: Pick<SwapStore, "findByProposal">): RevertedSwapOf {
  return async (proposal) => {
    const swap = await swaps.findByProposal(proposal);
    return swap?.state === "reverted" ? swap.id : undefined;
  };
}
