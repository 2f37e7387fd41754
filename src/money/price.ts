import type { NanoUsd } from "./nano-usd.ts";

/** Billing tier that the provider reported; `standard` when it reported none. */
export type ServiceTier = "standard" | "flex" | "priority" | "batch";

/**
 * USD per million tokens, as decimal text or number, with optional long-context tiers.
 * A tier's rate applies to every token of the request once the total prompt passes `start`.
 */
export interface Rate {
  readonly base: number;
  readonly tiers: readonly { readonly start: number; readonly rate: number }[];
}

/** Token rates of a model. An absent rate falls back as its comment says. */
export interface TokenRates {
  readonly input: Rate;
  readonly output: Rate;
  /** Falls back to `input`. */
  readonly cacheRead?: Rate | undefined;
  /** Five-minute writes. Falls back to `input`. */
  readonly cacheWrite?: Rate | undefined;
  /** Falls back to 8/5 of `cacheWrite`; where there is no rate for writes at all, what they cost is unknown. */
  readonly cacheWrite1h?: Rate | undefined;
  /** Each falls back to the text rate of its direction. */
  readonly inputAudio?: Rate | undefined;
  readonly inputImage?: Rate | undefined;
  readonly inputVideo?: Rate | undefined;
  readonly cacheReadAudio?: Rate | undefined;
  readonly outputAudio?: Rate | undefined;
  readonly outputImage?: Rate | undefined;
  readonly outputReasoning?: Rate | undefined;
  readonly outputCitation?: Rate | undefined;
}

/** A model's dated prices. */
export interface Price extends TokenRates {
  /** USD per request and per search, not per million. */
  readonly perRequest?: number | undefined;
  readonly perSearch?: number | undefined;
  /** USD per use of another tool that the provider runs, by the name in `Usage.providerTools`. */
  readonly perTool?: Readonly<Record<string, number>> | undefined;
  /** Multiplier on every token rate by served tier; a tier that is not listed bills as standard. */
  readonly tierMultiplier?: Partial<Record<ServiceTier, number>> | undefined;
  /** Rates of a tier; each replaces the multiplied standard rate of the same name. */
  readonly tierRates?: Partial<Record<ServiceTier, Partial<TokenRates>>> | undefined;
  /** Where and when the price comes from, e.g. `genai-prices@0.1.8` or `modelrig.yaml`. */
  readonly version: string;
}

/** Finds the price of a model at an instant. `undefined` = unpriced, never zero. */
export interface PriceBook {
  readonly version: string;
  find(provider: string, model: string, at: Date): Price | undefined;
}

/**
 * Cost of one upstream request, each figure rounded once, half up, to the nano-dollar. `total` also holds what is billed
 * per request and per search. `input` and `output` are absent where only the provider's own total is known.
 */
export interface Cost {
  readonly total: NanoUsd;
  readonly input?: NanoUsd | undefined;
  readonly output?: NanoUsd | undefined;
  /** True when the provider's own total is far from the computed cost; `total` is the larger of the two. */
  readonly implausible?: boolean | undefined;
}

/** Upper bound of one request, before it is sent. */
export interface TokenBound {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Number of answers asked for (`n`). */
  readonly choices: number;
  /** Web searches the provider may make and bill; absent = none. */
  readonly searches?: number | undefined;
}
