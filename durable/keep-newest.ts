/** Drops the oldest entry of a map that has more than `most`. */
export function keepNewest<T>(map: Map<string, T>, most: number): void {
  if (map.size <= most) return;
  const [oldest] = map.keys();
  if (oldest !== undefined) map.delete(oldest);
}
