/**
 * An upstream's error before classification, read from the provider's own body by its dialect
 * (`wire/<dialect>/error.ts`). `classify.ts` turns it into a `Failure`.
 */
export interface ProviderError {
  readonly provider: string;
  /** HTTP status; 200 when the error came inside a successful answer or a stream. */
  readonly status: number;
  /** Structured code (`error.code`), as a string even where the provider sends a number. */
  readonly code?: string | undefined;
  /** Structured type (`error.type`, Gemini's `error.status`). */
  readonly type?: string | undefined;
  readonly message: string;
  readonly param?: string | undefined;
  /** From Retry-After, retry-after-ms, RetryInfo and the like; milliseconds. */
  readonly retryAfterMs?: number | undefined;
  /** `x-should-retry: false`. */
  readonly final?: boolean | undefined;
  /** Further structured words the table may look at (quota ids, reasons). */
  readonly details?: readonly string[] | undefined;
}
