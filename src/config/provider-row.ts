/** Merges a provider's entry in `modelrig.yaml` over the built-in row of the same name. */
import type { Price, Rate } from "../money/price.ts";
import { BUILTIN_PROVIDERS } from "../provider/builtin.ts";
import type { ModelSpec, ProviderSpec } from "../provider/provider.ts";
import type { Quirks } from "../wire/dialect.ts";
import {
  DIALECT_WORDS,
  type ModelDraft,
  type PriceDraft,
  type ProviderEntry,
  type QuirksDraft,
} from "./config-shape.ts";

/** Source recorded with every price that a configuration file declares. */
const DECLARED_PRICE = "modelrig.yaml";

export function builtinRow(name: string): ProviderSpec | undefined {
  return BUILTIN_PROVIDERS.find((row) => row.name === name);
}

/**
 * Returns the complete row: keys of the entry replace those of the built-in row; models, capabilities and quirks are
 * merged key by key. Without `api_key_env` a built-in row keeps its secret; another provider then needs no key.
 */
export function providerRow(name: string, entry: ProviderEntry): ProviderSpec {
  const base = builtinRow(name);
  const models = Object.entries(entry.models ?? {}).map(
    ([id, draft]) => [id, modelOf(id, draft, base?.models[id])] as const,
  );
  const apiKeyEnv = entry.api_key_env ?? base?.apiKeyEnv;
  const priceProvider = entry.price_provider ?? base?.priceProvider;
  const stopsBilling = entry.stops_billing_on_disconnect ?? base?.stopsBillingOnDisconnect;
  return {
    name,
    dialect: entry.dialect ? DIALECT_WORDS[entry.dialect] : (base?.dialect ?? "openai-chat"),
    baseUrl: (entry.base_url ?? base?.baseUrl ?? "").replace(/\/+$/, ""),
    ...(apiKeyEnv === undefined ? {} : { apiKeyEnv }),
    capabilities: { ...base?.capabilities, ...entry.capabilities },
    quirks: { ...base?.quirks, ...quirksOf(entry.quirks) },
    ...(priceProvider === undefined ? {} : { priceProvider }),
    models: { ...base?.models, ...Object.fromEntries(models) },
    ...(base?.families ? { families: base.families } : {}),
    ...(stopsBilling === undefined ? {} : { stopsBillingOnDisconnect: stopsBilling }),
    ...(entry.exact_streams ? { exactStreams: true } : {}),
    ...(base?.simulated ? { simulated: true } : {}),
  };
}

function modelOf(id: string, draft: ModelDraft, base: ModelSpec | undefined): ModelSpec {
  const price = draft.price ? priceOf(draft.price) : base?.price;
  const contextWindow = draft.context_window ?? base?.contextWindow;
  const maxOutput = draft.max_output ?? base?.maxOutput;
  return {
    id,
    ...(price ? { price } : {}),
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(maxOutput === undefined ? {} : { maxOutput }),
    capabilities: { ...base?.capabilities, ...draft.capabilities },
  };
}

type RateKey = "input_per_million" | "output_per_million" | "cached_input_per_million" | "cache_write_per_million";

function priceOf(draft: PriceDraft): Price {
  const tiered = (key: RateKey): Rate | undefined => {
    const base = draft[key];
    if (base === undefined) return undefined;
    const tiers = (draft.tiers ?? [])
      .flatMap((tier) => (tier[key] === undefined ? [] : [{ start: tier.above_tokens, rate: tier[key] }]))
      .sort((a, b) => a.start - b.start);
    return { base, tiers };
  };
  const flat = (base: number | undefined): Rate | undefined => (base === undefined ? undefined : { base, tiers: [] });
  return withoutUndefined({
    input: tiered("input_per_million") ?? { base: draft.input_per_million, tiers: [] },
    output: tiered("output_per_million") ?? { base: draft.output_per_million, tiers: [] },
    cacheRead: tiered("cached_input_per_million"),
    cacheWrite: tiered("cache_write_per_million"),
    cacheWrite1h: flat(draft.cache_write_1h_per_million),
    outputReasoning: flat(draft.reasoning_per_million),
    perRequest: draft.per_request_usd,
    tierMultiplier: multipliers(draft.tier_multipliers),
    version: DECLARED_PRICE,
  });
}

function multipliers(draft: PriceDraft["tier_multipliers"]): Price["tierMultiplier"] {
  if (!draft) return undefined;
  const { flex, priority, batch } = draft;
  return {
    ...(flex === undefined ? {} : { flex }),
    ...(priority === undefined ? {} : { priority }),
    ...(batch === undefined ? {} : { batch }),
  };
}

function quirksOf(draft: QuirksDraft = {}): Quirks {
  return withoutUndefined({
    omit: draft.omit,
    rename: draft.rename,
    maxTokensField: draft.max_tokens_field,
    topK: draft.top_k,
    cacheBreakpoints: draft.cache_breakpoints,
    customTools: draft.custom_tools,
    callIds: draft.call_ids,
    noStreamOptions: draft.no_stream_options,
    outputExcludesReasoning: draft.output_excludes_reasoning,
    inputExcludesCached: draft.input_excludes_cached,
    coachNativeSchema: draft.coach_native_schema,
    extraBody: draft.extra_body,
    extraBodyWithSchema: draft.extra_body_with_schema,
    reasoningModels: draft.reasoning_models,
    developerRole: draft.developer_role,
    schemaSubset: draft.schema_subset,
    path: draft.path,
    authHeader: draft.auth_header,
    headers: draft.headers,
  });
}

/** Compiled JSON has no undefined members, and an absent quirk must not hide the built-in one. */
function withoutUndefined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T;
}
