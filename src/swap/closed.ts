import type { ClosedSwapOf } from "../proposal/file.ts";
import type { SwapStore } from "./ports.ts";

/** What filing a proposal asks of an org's swaps. */
export function closedIn(swaps: Pick<SwapStore, "findByProposal">): ClosedSwapOf {
  return async (proposal) => {
    const swap = await swaps.findByProposal(proposal);
    return swap?.state === "reverted" || swap?.state === "abandoned" ? swap.id : undefined;
  };
}
