/** Computed dollar amounts. Unlike booked amounts they have no exact text and no bound. */
import { formatUsd } from "./format.ts";
import { type NanoUsd, nanoUsd } from "./nano-usd.ts";

/** Returns the nearest nano-dollar; an amount above nine million dollars becomes the largest safe integer. */
export function nanoOf(amount: number): NanoUsd {
  return nanoUsd(Math.min(Math.round(amount * 1e9), Number.MAX_SAFE_INTEGER));
}

/** Returns the amount as text, in the same format as booked amounts. */
export function dollars(amount: number): string {
  return formatUsd(nanoOf(amount));
}
