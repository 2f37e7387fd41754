/** Words of providers for tiers, in those of OpenAI's API; a word that neither knows is no tier of a client. */
const WORDS: Readonly<Record<string, string>> = {
  auto: "auto",
  default: "default",
  standard: "default",
  on_demand: "default",
  flex: "flex",
  scale: "scale",
  priority: "priority",
  fast: "priority",
};

/** `service_tier` for a client of chat completions or the Responses API. */
export function openaiTier(word: string | undefined): string | undefined {
  return word === undefined ? undefined : WORDS[word];
}
