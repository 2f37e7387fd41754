/** The points that no other beats on both axes: cheaper is better, and higher is better. Cheapest first. */
export function paretoFront<P extends { readonly cost: number; readonly quality: number }>(points: readonly P[]): P[] {
  const sorted = [...points].sort((a, b) => a.cost - b.cost || b.quality - a.quality);
  let highest = Number.NEGATIVE_INFINITY;
  return sorted.filter(({ quality }) => {
    if (quality <= highest) return false;
    highest = quality;
    return true;
  });
}
