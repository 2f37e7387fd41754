/** Converts providers' words for tiers to those of OpenAI's API; a word unknown to both is omitted. */
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
