const TOKEN_FIELDS = ["input", "uncached", "cacheRead", "cacheWrite", "output", "reasoning"] as const;
export type TokenField = (typeof TOKEN_FIELDS)[number];

/** `null` = not reported, never zero. */
export type TokenCounts = Readonly<Record<TokenField, number | null>>;

/** One value per kind of count. */
export function perTokenField<T>(of: (field: TokenField) => T): Record<TokenField, T> {
  return {
    input: of("input"),
    uncached: of("uncached"),
    cacheRead: of("cacheRead"),
    cacheWrite: of("cacheWrite"),
    output: of("output"),
    reasoning: of("reasoning"),
  };
}
