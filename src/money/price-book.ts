import type { ModelPrice } from "@pydantic/genai-prices";
import { CATALOG_VERSION, type CatalogModel, findModel, pricesAt } from "./catalog.ts";
import type { Price, PriceBook } from "./price.ts";
import { searchPrice, toolPrices } from "./search-price.ts";
import { tierMultiplier } from "./tier-multiplier.ts";
import { toPrice } from "./to-price.ts";

interface PriceBookOptions {
  /** A price declared for a model in `modelrig.yaml`; it takes precedence over the built-in data. */
  readonly declared?: ((provider: string, model: string) => Price | undefined) | undefined;
  /** Provider id in the price data, where a provider's row names one. */
  readonly priceProvider?: ((provider: string) => string | undefined) | undefined;
}

/** Some prices change at a minute of the day (16:30 UTC), never within a minute. */
const MINUTE_MS = 60_000;
const MAX_ENTRIES = 4_096;

interface Entry {
  readonly found: CatalogModel | undefined;
  /** The minute for which `price` holds; -1 where it holds at any time. */
  minute: number;
  price: Price | undefined;
}

/** Prices declared by the user, then the dated prices of the built-in data (`@pydantic/genai-prices`). */
export function createPriceBook({ declared, priceProvider }: PriceBookOptions = {}): PriceBook {
  const entries = new Map<string, Entry>();

  function entryOf(provider: string, model: string): Entry {
    const key = `${provider}\n${model}`;
    const known = entries.get(key);
    if (known) return known;
    if (entries.size >= MAX_ENTRIES) entries.clear();
    const found = findModel(priceProvider?.(provider) ?? provider, model);
    const constant = found === undefined || !Array.isArray(found.model.prices);
    const entry: Entry = {
      found,
      minute: constant ? -1 : Number.NaN,
      price: constant && found ? priceOf(found, pricesAt(found, new Date(0))) : undefined,
    };
    entries.set(key, entry);
    return entry;
  }

  return {
    version: CATALOG_VERSION,
    find(provider, model, at) {
      const own = declared?.(provider, model);
      if (own) return own;
      const entry = entryOf(provider, model);
      if (entry.minute === -1 || !entry.found) return entry.price;
      const minute = Math.floor(at.getTime() / MINUTE_MS);
      if (entry.minute !== minute) {
        entry.minute = minute;
        entry.price = priceOf(entry.found, pricesAt(entry.found, at));
      }
      return entry.price;
    },
  };
}

function priceOf({ providerId, model }: CatalogModel, prices: ModelPrice): Price | undefined {
  const price = toPrice(isFree(model.id, prices) ? { input_mtok: 0, output_mtok: 0 } : prices, CATALOG_VERSION);
  return (
    price && {
      ...price,
      perSearch: price.perSearch ?? searchPrice(providerId, model.id),
      perTool: toolPrices(providerId),
      tierMultiplier: tierMultiplier(providerId, model.id),
    }
  );
}

/**
 * OpenRouter's `:free` variants are listed without rates because they cost nothing; elsewhere missing rates mean
 * unknown.
 */
function isFree(modelId: string, prices: ModelPrice): boolean {
  return modelId.endsWith(":free") && Object.keys(prices).length === 0;
}
