/** An amount of money: a safe integer of billionths of a US dollar. Never a float of dollars. */
export type NanoUsd = number & { readonly __unit: "NanoUsd" };

export const ZERO_USD = 0 as NanoUsd;

/** Wraps an integer. Throws `RangeError` on anything else, which is a mistake in the program and not an input. */
export function nanoUsd(amount: number): NanoUsd {
  if (!Number.isSafeInteger(amount)) throw new RangeError(`not a whole number of nano-dollars: ${amount}`);
  return amount as NanoUsd;
}

export function addUsd(...amounts: readonly NanoUsd[]): NanoUsd {
  return nanoUsd(amounts.reduce<number>((sum, amount) => sum + amount, 0));
}

/**
 * Converts dollars as people write them (`0.02`, `"5"`) to nano-dollars, exactly, by decimal text. Throws `RangeError`
 * when the amount is not a finite decimal.
 */
export function usdToNano(dollars: number | string): NanoUsd {
  const text = typeof dollars === "number" ? plainDecimal(dollars) : dollars.trim();
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text);
  if (!match) throw new RangeError(`not an amount in dollars: ${dollars}`);
  const [, sign = "", whole = "0", fraction = ""] = match;
  const nano =
    Number(whole) * 1e9 + Number(fraction.padEnd(9, "0").slice(0, 9)) + (Number(fraction[9] ?? 0) >= 5 ? 1 : 0);
  return nanoUsd(sign === "-" ? -nano : nano);
}

/**
 * Returns the exact decimal text of an amount or, as a bigint, of a sum, in dollars: nine places, no exponent
 * (`"0.000412500"`).
 */
export function nanoToUsdText(amount: NanoUsd | bigint): string {
  const magnitude = (amount < 0 ? -amount : amount).toString().padStart(10, "0");
  return `${amount < 0 ? "-" : ""}${magnitude.slice(0, -9)}.${magnitude.slice(-9)}`;
}

function plainDecimal(value: number): string {
  if (!Number.isFinite(value)) return "not finite";
  return Math.abs(value) < 1e-6 || Math.abs(value) >= 1e21 ? value.toFixed(18) : String(value);
}
