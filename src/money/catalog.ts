import { calcPrice, findProvider, type ModelInfo, type ModelPrice } from "@pydantic/genai-prices";
import { passesListPrice, priceProviderOf } from "./price-provider.ts";

/** Names the price data that is built in; a test compares it with the installed package. */
export const CATALOG_VERSION = "genai-prices@0.1.8";

/** A model of the price data and where it was found. */
export interface CatalogModel {
  /** Provider id in the price data; of a vendor, where a router passes its list price on. */
  readonly providerId: string;
  readonly model: ModelInfo;
}

/** Model names come from callers, so what is remembered of them is bounded. */
const MAX_REMEMBERED = 4_096;
const remembered = new Map<string, CatalogModel | undefined>();

/**
 * The data's entry for a provider's model. Understood besides plain ids: dated ids, ids that repeat their provider
 * (`openai/gpt-5` at openai), and, at a router that passes list prices on, ids prefixed with their vendor. What any other
 * provider asks for a vendor's model is unknown. A provider is never guessed from part of its name.
 */
export function findModel(provider: string, model: string): CatalogModel | undefined {
  const key = `${provider}\n${model}`;
  if (remembered.has(key)) return remembered.get(key);
  if (remembered.size >= MAX_REMEMBERED) remembered.clear();
  const found = search(priceProviderOf(provider), model);
  remembered.set(key, found);
  return found;
}

/** The prices in force at an instant. The data dates them, and some change with the time of day. */
export function pricesAt({ providerId, model }: CatalogModel, at: Date): ModelPrice {
  if (!Array.isArray(model.prices)) return model.prices;
  // A table of this one model, so that its id cannot match another.
  const models = [{ ...model, match: { equals: model.id } }];
  const provider = { id: providerId, name: providerId, api_pattern: "", models };
  return calcPrice({}, model.id, { provider, timestamp: at })?.model_price ?? {};
}

/** Tokens a model takes, prompt and answer together, where the data tells. */
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

/** The data also matches providers by a part of the name (`my-openai-proxy` is OpenAI to it); only ids count here. */
function isProvider(providerId: string): boolean {
  return findProvider({ providerId })?.id === providerId;
}
