/** A rate as percent, without the sign: one decimal; 100 and 0 only where exact, else as many digits as it takes. */
export function percent(fraction: number): string {
  const value = fraction * 100;
  if (value === 0 || value === 100) return String(value);
  for (let digits = 1; digits < 6; digits += 1) {
    const text = value.toFixed(digits);
    if (Number(text) > 0 && Number(text) < 100) return text;
  }
  return value.toPrecision(3);
}
