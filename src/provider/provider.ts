import type { Price } from "../money/price.ts";
import type { DialectName } from "../wire/chat.ts";
import type { Quirks } from "../wire/dialect.ts";
import type { ModelFacts } from "../wire/model-facts.ts";

/** What a model can do, as declared or measured. Absent = unknown, which filters treat as "cannot". */
export interface ModelCapabilities {
  readonly native_strict?: boolean | undefined;
  readonly json_object?: boolean | undefined;
  readonly vision?: boolean | undefined;
  readonly tools?: boolean | undefined;
  readonly grounding?: boolean | undefined;
  readonly reasoning?: boolean | undefined;
  /** True when reasoning is visible in the answer. */
  readonly trace_visible?: boolean | undefined;
  /** True when zero data retention holds for this provider and model under the user's contract. */
  readonly zdr?: boolean | undefined;
}

export interface ModelSpec {
  readonly id: string;
  readonly price?: Price | undefined;
  readonly contextWindow?: number | undefined;
  readonly maxOutput?: number | undefined;
  readonly capabilities: ModelCapabilities;
  readonly facts?: ModelFacts | undefined;
}

/** Facts of every model whose id matches, for models that are not declared. */
export interface ModelFamily {
  /** Regular expression over the model id, without the prefixes of other platforms (`anthropic/`, `us.anthropic.`). */
  readonly match: string;
  /** Where the facts are documented, without scheme. */
  readonly source: string;
  /** Day on which they were read, as `YYYY-MM-DD`. */
  readonly asOf: string;
  /** True for the entry of unknown models: a cautious form without facts. Its maximum output never lowers a request. */
  readonly assumed?: boolean | undefined;
  readonly facts?: ModelFacts | undefined;
  readonly contextWindow?: number | undefined;
  readonly maxOutput?: number | undefined;
  readonly capabilities?: ModelCapabilities | undefined;
}

/** One row of the provider table: how to reach an upstream. */
export interface ProviderSpec {
  readonly name: string;
  readonly dialect: DialectName;
  /** Without trailing slash. Empty = differs per account and must be declared in `modelrig.yaml`. */
  readonly baseUrl: string;
  /** Name of the secret that holds the key; absent = the upstream needs none. */
  readonly apiKeyEnv?: string | undefined;
  readonly capabilities: ModelCapabilities;
  readonly quirks: Quirks;
  /** Provider id in the price data where it differs from `name`. */
  readonly priceProvider?: string | undefined;
  readonly models: Readonly<Record<string, ModelSpec>>;
  /** The first match applies; facts of a declared model take precedence. */
  readonly families?: readonly ModelFamily[] | undefined;
  /**
   * Document in which the provider states that it stops generating and billing when a stream's connection is closed.
   * Absent = it may continue, and an abandoned stream counts as its worst case.
   */
  readonly stopsBillingOnDisconnect?: string | undefined;
  /**
   * True when its streams are exactly those of its dialect's own API, errors included, and end when they are over: they
   * may pass to clients of the same dialect unread.
   */
  readonly exactStreams?: boolean | undefined;
  /** Served by the built-in simulation; every answer is labelled simulated. */
  readonly simulated?: boolean | undefined;
}

/** Provider rows by name, built-in rows merged with `modelrig.yaml`. Rows without an address are left out. */
export interface ProviderTable {
  find(name: string): ProviderSpec | undefined;
  /**
   * Returns all facts of a model: declared facts over its family's over the provider row's, capabilities merged.
   * Undefined only for an unknown provider.
   */
  model(provider: string, model: string): ModelSpec | undefined;
  readonly all: readonly ProviderSpec[];
}
