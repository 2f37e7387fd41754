/**
 * Returns an estimated token count for text whose usage the provider never reported: one token per three bytes of
 * UTF-8, which is high for English and about right for CJK. Results based on it are flagged as estimated.
 */
export function estimateTokens(bytes: number): number {
  return Math.ceil(bytes / 3);
}
