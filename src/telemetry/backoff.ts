/**
 * Returns the seconds until a message is delivered again: doubling from 1, at most 300, less a random part of up to
 * half, so that messages which failed together do not return together.
 */
export function retryDelaySeconds(attempts: number, random: () => number): number {
  const full = Math.min(300, 2 ** Math.min(attempts - 1, 9));
  return Math.max(1, Math.round(full * (1 - random() / 2)));
}

/**
 * Milliseconds between attempts of a direct write, within the half minute that a Worker may run on after its response.
 */
export const DIRECT_WRITE_PAUSES_MS = [200, 600, 1_800, 5_400] as const;
