/** Values as answers word them. */
import { nanoToUsdText, nanoUsd } from "../../src/money/nano-usd.ts";

export function isoOf(at: number): string {
  return new Date(at).toISOString();
}

export function isoOrNull(at: number | undefined): string | null {
  return at === undefined ? null : isoOf(at);
}

/** Exact decimal dollars, nine places; `null` = unknown. */
export function usdOrNull(nano: number | bigint | null): string | null {
  if (nano === null) return null;
  return nanoToUsdText(typeof nano === "bigint" ? nano : nanoUsd(nano));
}
