/** Reads the worked price cases of the corpus into this project's own types. */
import { scaledInteger } from "../../../src/money/decimal.ts";
import { type NanoUsd, nanoUsd } from "../../../src/money/nano-usd.ts";
import type { Price, Rate, ServiceTier, TokenRates } from "../../../src/money/price.ts";
import { toPrice } from "../../../src/money/to-price.ts";
import type { Usage } from "../../../src/money/usage.ts";

type Tiered = number | string | { base: number | string; tiers: { start: number; price: number | string }[] };

export interface WorkedCase {
  readonly id: string;
  readonly provider?: string | null;
  readonly api_flavor?: string;
  readonly note: string;
  readonly usage?: Readonly<Record<string, number>>;
  readonly raw_usage?: Readonly<Record<string, unknown>>;
  readonly raw_body?: Readonly<Record<string, unknown>>;
  readonly prices?: Readonly<Record<string, Tiered>>;
  readonly prices_per_token?: Readonly<Record<string, number>>;
  readonly service_tier?: ServiceTier;
  readonly expected?: { readonly input: string; readonly output: string; readonly total: string };
  readonly expected_error?: string;
}

/** A decimal text of dollars, rounded half up to the nano-dollar. */
export function nanoOf(dollars: string): NanoUsd {
  const scaled = scaledInteger(Number(dollars), 18);
  return nanoUsd(Number((2n * scaled + 10n ** 9n) / (2n * 10n ** 9n)));
}

/** Inclusive counts of a case. A count the case leaves out is zero there. */
export function usageOf(counts: Readonly<Record<string, number>>): Usage {
  return {
    input: {
      total: counts["input_tokens"] ?? 0,
      cacheRead: counts["cache_read_tokens"],
      cacheWrite: counts["cache_write_tokens"],
      cacheWrite1h: counts["cache_write_1h_tokens"],
      audio: counts["input_audio_tokens"],
      image: counts["input_image_tokens"],
      video: counts["input_video_tokens"],
      cacheReadAudio: counts["cache_audio_read_tokens"],
    },
    output: {
      total: counts["output_tokens"] ?? 0,
      reasoning: counts["output_reasoning_tokens"],
      audio: counts["output_audio_tokens"],
      image: counts["output_image_tokens"],
      citation: counts["output_citation_tokens"],
    },
    searches: counts["web_searches"],
    estimated: false,
    raw: counts,
  };
}

/** Prices of a case. Many isolate one rate: those they leave out are zero there. */
export function priceOf(worked: WorkedCase): Price {
  if (worked.prices_per_token) return perTokenPrice(worked.prices_per_token);
  const numbers = Object.entries(worked.prices ?? {}).map(([key, value]) => [key, numeric(value)] as const);
  const price = toPrice({ input_mtok: 0, output_mtok: 0, ...Object.fromEntries(numbers) }, "worked case");
  if (!price) throw new Error(`${worked.id}: no price`);
  return price;
}

function numeric(value: Tiered) {
  if (typeof value !== "object") return Number(value);
  const tiers = value.tiers.map(({ start, price }) => ({ start, price: Number(price) }));
  return { base: Number(value.base), tiers };
}

const PER_TOKEN: Readonly<Record<string, keyof TokenRates>> = {
  input_cost_per_token: "input",
  output_cost_per_token: "output",
  cache_read_input_token_cost: "cacheRead",
  cache_creation_input_token_cost: "cacheWrite",
  input_cost_per_audio_token: "inputAudio",
  output_cost_per_image_token: "outputImage",
  output_cost_per_reasoning_token: "outputReasoning",
};
const TIER_SUFFIX: Readonly<Record<string, ServiceTier>> = { flex: "flex", priority: "priority", batches: "batch" };

/** litellm's flat keys: `<kind>[_above_<n>k_tokens][_<tier>]`. A tier's own threshold builds on its own or the standard base. */
function perTokenPrice(keys: Readonly<Record<string, number>>): Price {
  const rates: Partial<Record<string, Partial<Record<keyof TokenRates, Rate>>>> = {};
  for (const [key, perToken] of Object.entries(keys).sort(([a], [b]) => a.length - b.length)) {
    const [, kind = "", above, suffix] =
      /^(.*?)(?:_above_(\d+)k_tokens)?(?:_(flex|priority|batches))?$/.exec(key) ?? [];
    const name = PER_TOKEN[kind];
    if (!name) throw new Error(`unknown price key ${key}`);
    const tier = suffix === undefined ? "standard" : (TIER_SUFFIX[suffix] ?? "standard");
    rates[tier] ??= {};
    const own = rates[tier];
    const mtok = Number((perToken * 1e6).toPrecision(12));
    const start = Number(above) * 1000;
    const before = own[name] ?? rates["standard"]?.[name] ?? { base: mtok, tiers: [] };
    own[name] =
      above === undefined
        ? { base: mtok, tiers: [] }
        : { base: before.base, tiers: [...before.tiers, { start, rate: mtok }] };
  }
  const { standard = {}, ...tierRates } = rates;
  const free: Rate = { base: 0, tiers: [] };
  return {
    ...standard,
    input: standard.input ?? free,
    output: standard.output ?? free,
    tierRates,
    version: "worked case",
  };
}
