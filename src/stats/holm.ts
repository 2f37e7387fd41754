/**
 * P-values adjusted for the family they were tested in (Holm 1979, Scand J Stat 6:65), in the order given: reject those
 * at or below the level. One bake-off's variants are a family.
 */
export function holm(pValues: readonly number[]): number[] {
  for (const p of pValues) if (!(p >= 0 && p <= 1)) throw new RangeError(`not a probability: ${p}`);
  const order = pValues.map((p, index) => ({ p, index })).sort((a, b) => a.p - b.p);
  const adjusted = new Array<number>(pValues.length).fill(1);
  let largest = 0;
  order.forEach(({ p, index }, rank) => {
    largest = Math.max(largest, Math.min(1, (pValues.length - rank) * p));
    adjusted[index] = largest;
  });
  return adjusted;
}

/** The two-sided confidence whose bounds hold for `family` variants together at one-sided level `alpha` (Bonferroni). */
export function jointConfidence(alpha: number, family: number): number {
  if (!(alpha > 0 && alpha < 0.5)) throw new RangeError(`not a level: ${alpha}`);
  if (!Number.isInteger(family) || family < 1) throw new RangeError(`not a family: ${family}`);
  return 1 - (2 * alpha) / family;
}
