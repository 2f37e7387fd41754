/** The provider table of one configuration, and the prices that go with it. */
import { contextWindowOf } from "../money/catalog.ts";
import type { PriceBook } from "../money/price.ts";
import { createPriceBook } from "../money/price-book.ts";
import type { DialectName } from "../wire/chat.ts";
import { BUILTIN_PROVIDERS } from "./builtin.ts";
import { CLAUDE } from "./claude-models.ts";
import { GPT } from "./gpt-models.ts";
import { GEMINI } from "./other-models.ts";
import type { ModelFamily, ModelSpec, ProviderSpec, ProviderTable } from "./provider.ts";

/** Built-in rows, replaced by name with the configuration's complete ones. */
export function providerTable(config: { readonly providers: readonly ProviderSpec[] }): ProviderTable {
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
        spec = modelSpec(row, model);
        if (known.size < MAX_REMEMBERED) known.set(key, spec);
      }
      return spec;
    },
  };
}

/** Bounds the memory of lookups, because callers choose the model words. */
const MAX_REMEMBERED = 2_000;

function modelSpec(row: ProviderSpec, model: string): ModelSpec {
  const declared = Object.hasOwn(row.models, model) ? row.models[model] : undefined;
  const families = row.families ?? FAMILIES_OF_DIALECT[row.dialect];
  const bare = model.replace(PLATFORM_PREFIX, "");
  const family = families.find(({ match }) => new RegExp(match).test(bare));
  return {
    id: model,
    price: declared?.price,
    contextWindow: declared?.contextWindow ?? catalogWindow(row, model) ?? family?.contextWindow,
    maxOutput: declared?.maxOutput ?? family?.maxOutput,
    capabilities: { ...row.capabilities, ...family?.capabilities, ...declared?.capabilities },
    ...(family && {
      facts: {
        ...family.facts,
        ...(family.assumed && declared?.maxOutput === undefined && { maxOutputAssumed: true }),
      },
    }),
  };
}

/** A model behaves alike wherever it is served, so a row without families uses those of its dialect. */
const FAMILIES_OF_DIALECT: Readonly<Record<DialectName, readonly ModelFamily[]>> = {
  "openai-chat": [],
  "openai-responses": GPT,
  "anthropic-messages": CLAUDE,
  gemini: GEMINI,
};

/**
 * Prefixes that other platforms add to the id: `anthropic/claude-…`, `us.anthropic.claude-…`, `ft:gpt-…`,
 * `models/gemini-…`.
 */
const PLATFORM_PREFIX = /^(?:.*\/)?(?:(?:[a-z-]+\.)?anthropic\.|ft:)?/;

function catalogWindow(row: ProviderSpec, model: string): number | undefined {
  return row.simulated ? undefined : contextWindowOf(row.priceProvider ?? row.name, model);
}

/**
 * Prices by provider names used here: a declared price first, else the public data's under the row's `priceProvider`. A
 * simulated call has the simulation's price or none: real data never prices it.
 */
export function providerPrices(table: ProviderTable): PriceBook {
  const declared = (provider: string, model: string) => {
    const row = table.find(provider);
    return row && Object.hasOwn(row.models, model) ? row.models[model]?.price : undefined;
  };
  const book = createPriceBook({ declared, priceProvider: (provider) => table.find(provider)?.priceProvider });
  return {
    version: book.version,
    find: (provider, model, at) =>
      table.find(provider)?.simulated ? declared(provider, model) : book.find(provider, model, at),
  };
}

/** Built-in providers without an address until `modelrig.yaml` declares one. */
export function needsBaseUrl(name: string): boolean {
  return BUILTIN_PROVIDERS.some((row) => row.name === name && row.baseUrl === "");
}
