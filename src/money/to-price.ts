import type { ModelPrice } from "@pydantic/genai-prices";
import type { Price, Rate, TokenRates } from "./price.ts";

/** Keys of the price data for rates per million tokens. */
const TOKEN_RATES: Readonly<Record<string, keyof TokenRates>> = {
  cache_read_mtok: "cacheRead",
  cache_write_mtok: "cacheWrite",
  cache_write_1h_mtok: "cacheWrite1h",
  input_audio_mtok: "inputAudio",
  input_image_mtok: "inputImage",
  input_video_mtok: "inputVideo",
  cache_audio_read_mtok: "cacheReadAudio",
  output_audio_mtok: "outputAudio",
  output_image_mtok: "outputImage",
  output_reasoning_mtok: "outputReasoning",
  output_citation_mtok: "outputCitation",
};

/** A model that bills nothing for its answer (embeddings) has no output rate in the data. */
const FREE: Rate = { base: 0, tiers: [] };

/**
 * Converts a model's prices from the form of `@pydantic/genai-prices`. Returns `undefined` where no input rate is
 * known: models billed only by the page, hour or image cannot be priced from tokens. Rates for which usage has no count
 * (output video, file searches) are left out.
 */
export function toPrice(model: ModelPrice, version: string): Price | undefined {
  const input = rateOf(model["input_mtok"]);
  if (!input) return undefined;
  const own: { -readonly [Name in keyof TokenRates]?: Rate } = {};
  for (const [key, name] of Object.entries(TOKEN_RATES)) {
    const rate = rateOf(model[key]);
    if (rate) own[name] = rate;
  }
  return {
    ...own,
    input,
    output: rateOf(model["output_mtok"]) ?? FREE,
    perRequest: perThousand(model["requests_kcount"]),
    perSearch: perThousand(model["web_searches_kcount"]),
    version,
  };
}

function rateOf(value: ModelPrice[string]): Rate | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "number") return { base: value, tiers: [] };
  return { base: value.base, tiers: value.tiers.map(({ start, price }) => ({ start, rate: price })) };
}

/** Divides by decimal text: 10 / 1000 as a float is not always the number that prints as 0.01. */
function perThousand(value: ModelPrice[string]): number | undefined {
  return typeof value === "number" ? Number(`${value}e-3`) : undefined;
}
