/**
 * Normalised token usage of one upstream request. `undefined` means "not reported", never zero.
 * Invariant for reported figures: input.total = uncached + cacheRead + cacheWrite; output.total ⊇ reasoning.
 */
export interface Usage {
  readonly input: {
    readonly total?: number | undefined;
    readonly uncached?: number | undefined;
    readonly cacheRead?: number | undefined;
    /** All cache writes, whatever their lifetime. */
    readonly cacheWrite?: number | undefined;
    /** The part of `cacheWrite` with a one-hour lifetime. */
    readonly cacheWrite1h?: number | undefined;
    /** The part of `total` that was audio, image or video, where the provider reports it. */
    readonly audio?: number | undefined;
    readonly image?: number | undefined;
    readonly video?: number | undefined;
    /** The part of `cacheRead` that was audio. */
    readonly cacheReadAudio?: number | undefined;
  };
  readonly output: {
    readonly total?: number | undefined;
    readonly text?: number | undefined;
    readonly reasoning?: number | undefined;
    readonly audio?: number | undefined;
    readonly image?: number | undefined;
    /** Citation tokens, where a provider bills them separately (Perplexity). */
    readonly citation?: number | undefined;
  };
  /**
   * Where several models took part in the request: what each of them bills at its own rates, instead of the figures
   * above.
   */
  readonly passes?: readonly { readonly model: string | undefined; readonly usage: Usage }[] | undefined;
  /** Billed web searches made by the provider on our behalf. */
  readonly searches?: number | undefined;
  /**
   * Tools that ran at the provider and may be billed besides tokens, by its own word, with how often. Searches are
   * counted apart.
   */
  readonly providerTools?: Readonly<Record<string, number>> | undefined;
  /** Cost of the call in dollars as reported by the provider, where it does (OpenRouter, DeepInfra). */
  readonly reportedUsd?: number | undefined;
  /** True when the figures are our own count of a truncated or canceled call. */
  readonly estimated: boolean;
  /** True when the provider's figures break the invariant; the cost is then the larger reading. */
  readonly inconsistent?: boolean | undefined;
  /** The provider's own usage object, unchanged. */
  readonly raw: unknown;
}
