/**
 * Ids of the price data for provider names used here, in model prefixes and in other tables. Any other name is its own
 * id.
 */
const ALIASES: Readonly<Record<string, string>> = {
  gemini: "google",
  vertex: "google",
  xai: "x-ai",
  "z-ai": "zai",
  mistralai: "mistral",
  moonshot: "moonshotai",
  bedrock: "aws",
  "fireworks-ai": "fireworks",
  "together-ai": "together",
  togetherai: "together",
};

/** Routers that pass a vendor's list price on: a model they do not list costs the vendor's price. */
const PASSES_LIST_PRICE: ReadonlySet<string> = new Set(["openrouter"]);

/** Provider id in the price data. */
export function priceProviderOf(provider: string): string {
  const name = provider.toLowerCase();
  return Object.hasOwn(ALIASES, name) ? (ALIASES[name] ?? name) : name;
}

export function passesListPrice(providerId: string): boolean {
  return PASSES_LIST_PRICE.has(providerId);
}
