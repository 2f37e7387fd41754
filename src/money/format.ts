import type { NanoUsd } from "./nano-usd.ts";

const MINUS = "\u2212";
const NANO_PER_USD = 1_000_000_000;
const NANO_DECIMALS = 9;

interface UsdFormat {
  /** Marks an amount that is our own estimate with `~`. */
  readonly estimated?: boolean | undefined;
  /** Decimal places, 0 to 9; chosen from the amount when absent. A column passes one for all its rows. */
  readonly decimals?: number | undefined;
}

/**
 * Returns an amount for people: `$0`, three significant digits below a dollar (`$0.00464`), cents below ten thousand
 * (`$12.89`), whole dollars above (`$30,270`). Rounded half up. The exact text is `nanoToUsdText`.
 */
export function formatUsd(amount: NanoUsd, format: UsdFormat = {}): string {
  const mark = format.estimated ? "~" : "";
  const magnitude = Math.abs(amount);
  if (magnitude === 0 && format.decimals === undefined) return `${mark}$0`;
  const rounded = roundTo(magnitude, format.decimals ?? decimalsOf(magnitude));
  // The sign follows the printed digits, so that "-0" is never shown.
  const sign = amount < 0 && rounded > 0 ? MINUS : "";
  return `${mark}${sign}$${grouped(rounded, format.decimals ?? decimalsOf(rounded))}`;
}

/**
 * Returns one precision for a column: that of its largest amount, or as many places as every non-zero amount needs to
 * differ from zero.
 */
export function columnDecimals(amounts: readonly NanoUsd[]): number {
  const magnitudes = amounts.map((amount) => Math.abs(amount)).filter((magnitude) => magnitude > 0);
  if (magnitudes.length === 0) return 0;
  const needed = magnitudes.map((magnitude) => NANO_DECIMALS + 1 - String(magnitude).length);
  return Math.max(decimalsOf(Math.max(...magnitudes)), ...needed);
}

/** Returns the places for an amount after rounding: 999,999 nano-dollars become $0.00100, not $0.001000. */
function decimalsOf(magnitude: number): number {
  const own = placesFor(magnitude);
  return placesFor(roundTo(magnitude, own));
}

function placesFor(magnitude: number): number {
  if (magnitude >= 10_000 * NANO_PER_USD) return 0;
  if (magnitude >= NANO_PER_USD) return 2;
  // Three significant digits, as far as nine places reach.
  return Math.min(NANO_DECIMALS, NANO_DECIMALS + 3 - String(magnitude).length);
}

function roundTo(magnitude: number, decimals: number): number {
  const unit = 10 ** (NANO_DECIMALS - decimals);
  const rest = magnitude % unit;
  return magnitude - rest + (rest * 2 >= unit ? unit : 0);
}

function grouped(magnitude: number, decimals: number): string {
  const whole = String(Math.floor(magnitude / NANO_PER_USD)).replace(/\B(?=(\d{3})+$)/g, ",");
  if (decimals === 0) return whole;
  return `${whole}.${String(magnitude % NANO_PER_USD)
    .padStart(NANO_DECIMALS, "0")
    .slice(0, decimals)}`;
}
