/**
 * Returns a rate as percent, without the sign: one decimal; 100 and 0 only where exact, otherwise as many digits as
 * needed.
 */
export function percent(fraction: number): string {
  const value = fraction * 100;
  if (value === 0 || value === 100) return String(value);
  for (let digits = 1; digits < 6; digits += 1) {
    const text = value.toFixed(digits);
    if (Number(text) > 0 && Number(text) < 100) return text;
  }
  return value.toPrecision(3);
}

/**
 * Returns two rates as percent, with as many digits as needed to distinguish them; equal texts only where they are
 * equal.
 */
export function distinctPercents(one: number, other: number): readonly [string, string] {
  const texts = [percent(one), percent(other)] as const;
  if (one === other || texts[0] !== texts[1]) return texts;
  for (let digits = 2; digits < 12; digits += 1) {
    const longer = [(one * 100).toFixed(digits), (other * 100).toFixed(digits)] as const;
    if (longer[0] !== longer[1]) return longer;
  }
  return [String(one * 100), String(other * 100)];
}

/** Returns a difference of rates in points: one decimal, more where it would read as zero. */
export function points(fraction: number): string {
  const value = fraction * 100;
  if (value === 0) return "0.0";
  for (let digits = 1; digits < 6; digits += 1) {
    const text = value.toFixed(digits);
    if (Number(text) !== 0) return text.replace("-", MINUS);
  }
  return value.toPrecision(2).replace("-", MINUS);
}

/** The same, always with a sign except for zero. */
export function signedPoints(fraction: number): string {
  return fraction > 0 ? `+${points(fraction)}` : points(fraction);
}

const MINUS = "\u2212";

/** Returns the two-sided level of two one-sided bounds: `97.5%` for 0.0125. */
export function levelText(oneSided: number): string {
  return `${Number((100 * (1 - 2 * oneSided)).toFixed(2))}%`;
}
