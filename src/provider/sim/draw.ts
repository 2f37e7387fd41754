/** Deterministic pseudo-random draws: equal words give equal numbers on every machine. */

/** Uniform in [0, 1). FNV-1a over the words, then the finalizer of MurmurHash3. */
export function draw(...words: readonly (string | number)[]): number {
  let hash = 0x811c9dc5;
  const text = words.join("\u0000");
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

/** One of a non-empty list. */
export function pick<T>(
  choices: readonly [T, ...T[]] | readonly T[],
  ...words: readonly (string | number)[]
): T | undefined {
  return choices[Math.floor(draw(...words) * choices.length)];
}
