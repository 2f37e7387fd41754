/** Computed dollars, which unlike booked ones have no exact text and no bound of their own. */
import { formatUsd } from "./format.ts";
import { type NanoUsd, nanoUsd } from "./nano-usd.ts";

/** Nearest nano-dollar; what is too large to be counted in them (nine million dollars) is the largest that is not. */
export function nanoOf(amount: number): NanoUsd {
  return nanoUsd(Math.min(Math.round(amount * 1e9), Number.MAX_SAFE_INTEGER));
}

/** In the one way amounts are shown. */
export function dollars(amount: number): string {
  return formatUsd(nanoOf(amount));
}
