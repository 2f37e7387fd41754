interface SearchRow {
  readonly provider: string;
  readonly models: RegExp;
  /** USD per search. */
  readonly usd: number;
}

/**
 * Prices of web searches that the price data lacks. From ai.google.dev/gemini-api/docs/pricing and the Vertex AI price
 * page, 2026-11, without the free allowance. Gemini 2 bills a grounded request once, whatever its number of searches,
 * so its figure is an upper bound.
 */
const SEARCH_ROWS: readonly SearchRow[] = [
  { provider: "google", models: /^gemini-(?:1|2|flash-1|pro-1)/, usd: 0.035 },
  { provider: "google", models: /^gemini/, usd: 0.014 },
  { provider: "google", models: /^claude/, usd: 0.01 },
];

/**
 * USD per use of other tools that a provider runs. From platform.openai.com/docs/pricing, 2026-11: a file search costs
 * $2.50 per 1,000 calls; storage is billed apart from calls. Containers are billed by size and time, so they have no price.
 */
const TOOL_PRICES: Readonly<Record<string, Readonly<Record<string, number>>>> = { openai: { file_search: 0.0025 } };

/** USD per use of the tools that a provider runs, by provider id of the price data. */
export function toolPrices(providerId: string): Readonly<Record<string, number>> | undefined {
  return Object.hasOwn(TOOL_PRICES, providerId) ? TOOL_PRICES[providerId] : undefined;
}

/** USD per search, by provider id and model id of the price data. */
export function searchPrice(providerId: string, model: string): number | undefined {
  return SEARCH_ROWS.find((row) => row.provider === providerId && row.models.test(model))?.usd;
}
