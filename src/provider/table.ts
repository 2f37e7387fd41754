/** The provider table of one configuration, and the prices that go with it. */
import type { PriceBook } from "../money/price.ts";
import { BUILTIN_PROVIDERS } from "./builtin.ts";
import type { ModelFamily, ModelSpec, ProviderSpec, ProviderTable } from "./provider.ts";

/** Largest prompt plus answer of a model as price data tells it, by the price data's provider id. */
export type ContextWindows = (provider: string, model: string) => number | undefined;

/** Built-in rows, replaced by name with the configuration's complete ones. */
export function providerTable(
  config: { readonly providers: readonly ProviderSpec[] },
  contextWindows: ContextWindows = () => undefined,
): ProviderTable {
  const rows = new Map([...BUILTIN_PROVIDERS, ...config.providers].map((row) => [row.name, row]));
  const all = [...rows.values()].filter((row) => row.baseUrl !== "");
  const reachable = new Map(all.map((row) => [row.name, row]));
  const known = new Map<string, ModelSpec>();
  return {
    all,
    find: (name) => reachable.get(name),
    model(provider, model) {
      const row = reachable.get(provider);
      if (!row) return undefined;
      const key = `${provider}/${model}`;
      let spec = known.get(key);
      if (!spec) {
        spec = modelSpec(row, model, contextWindows);
        if (known.size < MAX_REMEMBERED) known.set(key, spec);
      }
      return spec;
    },
  };
}

/** Model words come from callers, so the memory of answers is bounded. */
const MAX_REMEMBERED = 2_000;

function modelSpec(row: ProviderSpec, model: string, contextWindows: ContextWindows): ModelSpec {
  const declared = Object.hasOwn(row.models, model) ? row.models[model] : undefined;
  const family: ModelFamily | undefined = row.families?.find(({ match }) => new RegExp(match).test(model));
  return {
    id: model,
    price: declared?.price,
    contextWindow:
      declared?.contextWindow ?? contextWindows(row.priceProvider ?? row.name, model) ?? family?.contextWindow,
    maxOutput: declared?.maxOutput ?? family?.maxOutput,
    capabilities: { ...row.capabilities, ...family?.capabilities, ...declared?.capabilities },
  };
}

/** Prices by our own provider names: a declared price first, else the book's under the price data's provider id. */
export function providerPrices(table: ProviderTable, book: PriceBook): PriceBook {
  return {
    version: book.version,
    find(provider, model, at) {
      const row = table.find(provider);
      const declared = row && Object.hasOwn(row.models, model) ? row.models[model]?.price : undefined;
      // Simulated calls cost what the simulation says, or nothing is known: real data never prices them.
      if (declared || row?.simulated) return declared;
      return book.find(row?.priceProvider ?? provider, model, at);
    },
  };
}

/** Built-in providers that have no address until `modelrig.yaml` declares one. */
export function needsBaseUrl(name: string): boolean {
  return BUILTIN_PROVIDERS.some((row) => row.name === name && row.baseUrl === "");
}
