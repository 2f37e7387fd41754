import { calcPrice, findProvider, type ModelInfo, type ModelPrice } from "@pydantic/genai-prices";
import { passesListPrice, priceProviderOf } from "./price-provider.ts";

/** Version of the built-in price data; a test compares it with the installed package. */
export const CATALOG_VERSION = "genai-prices@0.1.8";

/** A model of the price data and where it was found. */
export interface CatalogModel {
  /** Provider id in the price data; of a vendor, where a router passes its list price on. */
  readonly providerId: string;
  readonly model: ModelInfo;
}

/** Bounds the memory of lookups, because callers choose the model names. */
const MAX_REMEMBERED = 4_096;
const remembered = new Map<string, CatalogModel | undefined>();

/**
 * Returns the data's entry for a provider's model. Besides plain ids it understands dated ids, ids that repeat their
 * provider (`openai/gpt-5` at openai) and, at a router that passes list prices on, ids prefixed with their vendor. A
 * vendor's model at any other provider has no known price. A provider is never guessed from part of its name.
 */
export function findModel(provider: string, model: string): CatalogModel | undefined {
  const key = `${provider}\n${model}`;
  if (remembered.has(key)) return remembered.get(key);
  if (remembered.size >= MAX_REMEMBERED) remembered.clear();
  const found = search(priceProviderOf(provider), model);
  remembered.set(key, found);
  return found;
}

/** Returns the prices in force at an instant. Prices are dated, and some change with the time of day. */
export function pricesAt({ providerId, model }: CatalogModel, at: Date): ModelPrice {
  if (!Array.isArray(model.prices)) return model.prices;
  // A table of only this model, so that its id cannot match another.
  const models = [{ ...model, match: { equals: model.id } }];
  const provider = { id: providerId, name: providerId, api_pattern: "", models };
  return calcPrice({}, model.id, { provider, timestamp: at })?.model_price ?? {};
}

/** Returns the context window of a model in tokens, prompt and answer together, where the data contains it. */
export function contextWindowOf(provider: string, model: string): number | undefined {
  return findModel(provider, model)?.model.context_window;
}

function search(providerId: string, model: string): CatalogModel | undefined {
  const direct = isProvider(providerId) ? lookUp(providerId, model) : undefined;
  if (direct) return direct;
  const slash = model.indexOf("/");
  if (slash <= 0) return undefined;
  const vendor = priceProviderOf(model.slice(0, slash));
  const bare = model.slice(slash + 1);
  const priced = vendor === providerId || passesListPrice(providerId);
  return priced && isProvider(vendor) ? lookUp(vendor, bare) : undefined;
}

function lookUp(providerId: string, model: string): CatalogModel | undefined {
  const found = calcPrice({}, model, { providerId, timestamp: new Date(0) });
  return found ? { providerId, model: found.model } : undefined;
}

/**
 * The library also matches providers by part of a name (`my-openai-proxy` matches OpenAI); only exact ids count here.
 */
function isProvider(providerId: string): boolean {
  return findProvider({ providerId })?.id === providerId;
}
