import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";

/** Returns uniform numbers in [0, 1) that a seed (a 32-bit integer) determines; the report contains the seed. */
export function seededRandom(seed: number): () => number {
  const generator = xoroshiro128plus(seed);
  return () => (generator.next() >>> 0) / 2 ** 32;
}
