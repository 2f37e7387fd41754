/**
 * Percentile `p` (0–100) of ascending values, linear between ranks (Hyndman & Fan 1996, type 7; numpy's default).
 * Throws `RangeError` on an empty list.
 */
export function percentile(ascending: readonly number[], p: number): number {
  if (ascending.length === 0) throw new RangeError("no percentile of nothing");
  const rank = ((ascending.length - 1) * p) / 100;
  const below = ascending[Math.floor(rank)] ?? 0;
  const above = ascending[Math.ceil(rank)] ?? below;
  return below + (above - below) * (rank - Math.floor(rank));
}
