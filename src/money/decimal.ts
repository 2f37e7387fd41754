/**
 * Returns `value` × 10^`decimals` as an integer, read from the number's shortest decimal text, so that 0.1 means
 * exactly 0.1. Digits beyond `decimals` are rounded up: prices have far fewer, and rounding must not lower a cost.
 * Throws `RangeError` on a negative or non-finite value.
 */
export function scaledInteger(value: number, decimals: number): bigint {
  const match = /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value));
  if (!match) throw new RangeError(`not a finite amount of zero or more: ${value}`);
  const [, whole = "0", fraction = "", exponent = "0"] = match;
  const digits = BigInt(whole + fraction);
  const shift = decimals + Number(exponent) - fraction.length;
  if (shift >= 0) return digits * 10n ** BigInt(shift);
  const divisor = 10n ** BigInt(-shift);
  return (digits + divisor - 1n) / divisor;
}
