import type { Price } from "../money/price.ts";
import type { DialectName } from "../wire/chat.ts";
import type { Quirks } from "../wire/dialect.ts";

/** What a model can do, as declared or measured. Absent = unknown, treated as "cannot" by filters. */
export interface ModelCapabilities {
  readonly native_strict?: boolean | undefined;
  readonly json_object?: boolean | undefined;
  readonly vision?: boolean | undefined;
  readonly tools?: boolean | undefined;
  readonly grounding?: boolean | undefined;
  readonly reasoning?: boolean | undefined;
  /** Reasoning is visible in the answer. */
  readonly trace_visible?: boolean | undefined;
  /** Zero data retention holds for this provider and model under the user's contract. */
  readonly zdr?: boolean | undefined;
}

export interface ModelSpec {
  readonly id: string;
  readonly price?: Price | undefined;
  readonly contextWindow?: number | undefined;
  readonly maxOutput?: number | undefined;
  readonly capabilities: ModelCapabilities;
}

/** One row of the provider table: how to reach an upstream. */
export interface ProviderSpec {
  readonly name: string;
  readonly dialect: DialectName;
  readonly baseUrl: string;
  /** Name of the secret that holds the key; absent = the upstream needs none. */
  readonly apiKeyEnv?: string | undefined;
  readonly capabilities: ModelCapabilities;
  readonly quirks: Quirks;
  /** Provider id in the price data where it differs from `name`. */
  readonly priceProvider?: string | undefined;
  readonly models: Readonly<Record<string, ModelSpec>>;
  /** Served by the built-in simulation: everything it answers is labelled simulated. */
  readonly simulated?: boolean | undefined;
}

/** Provider rows by name, built-in rows overlaid with `modelrig.yaml`. */
export interface ProviderTable {
  find(name: string): ProviderSpec | undefined;
  /** A model's spec: the declared one, else one with only what the provider row and price data tell. */
  model(provider: string, model: string): ModelSpec | undefined;
  readonly all: readonly ProviderSpec[];
}
