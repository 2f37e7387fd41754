/** Columns of `inferences` that hourly rollups contain. `r` is a row of one of the two tables of sums. */
import { type Fragment, sql } from "../database/fragment.ts";

/** Columns by which `inference_rollups` is grouped; `''` replaces null there. */
export const ROUTE_KEYS: Readonly<Record<string, Fragment>> = {
  lane: sql`r.lane`,
  simulated: sql`r.simulated`,
  route: sql`nullif(r.route, '')`,
  variant: sql`nullif(r.variant, '')`,
  served_variant: sql`nullif(r.variant, '')`,
  provider: sql`nullif(r.provider, '')`,
  model: sql`nullif(r.model, '')`,
  failure_class: sql`nullif(r.failure_class, '')`,
};

/** The same for `tag_rollups`, in addition to the tag. */
export const TAG_KEYS: Readonly<Record<string, Fragment>> = { lane: sql`r.lane`, simulated: sql`r.simulated` };

export interface KnownSums {
  /** Returns how many rows have a value. */
  readonly count: Fragment;
  readonly sum?: Fragment;
  readonly min?: Fragment;
  readonly max?: Fragment;
}

export const KNOWN_SUMS: Readonly<Record<string, KnownSums>> = {
  cost: { count: sql`r.priced`, sum: sql`r.cost_nano`, min: sql`r.cost_nano_min`, max: sql`r.cost_nano_max` },
  latency_ms: { count: sql`r.n`, sum: sql`r.latency_ms`, min: sql`r.latency_ms_min`, max: sql`r.latency_ms_max` },
  attempts: { count: sql`r.n`, sum: sql`r.attempts` },
  conformant: { count: sql`(r.conformant + r.nonconformant)`, sum: sql`r.conformant` },
  simulated: { count: sql`r.n`, sum: sql`(r.n * r.simulated)` },
  failure_class: { count: sql`r.failed` },
  id: { count: sql`r.n` },
  ts: { count: sql`r.n` },
  lane: { count: sql`r.n` },
  input_tokens: { count: sql`r.input_tokens_n`, sum: sql`r.input_tokens` },
  cache_read_tokens: { count: sql`r.cache_read_tokens_n`, sum: sql`r.cache_read_tokens` },
  cache_write_tokens: { count: sql`r.cache_write_tokens_n`, sum: sql`r.cache_write_tokens` },
  output_tokens: { count: sql`r.output_tokens_n`, sum: sql`r.output_tokens` },
  reasoning_tokens: { count: sql`r.reasoning_tokens_n`, sum: sql`r.reasoning_tokens` },
};
