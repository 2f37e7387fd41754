export const SWAP_DIRECTIONS = ["up", "down", "lateral"] as const;
export type SwapDirection = (typeof SWAP_DIRECTIONS)[number];

/** By the sign of challenger − incumbent on the effective-cost axis: `up` costs more. */
export function swapDirection(costDelta: number): SwapDirection {
  if (costDelta === 0) return "lateral";
  return costDelta > 0 ? "up" : "down";
}
