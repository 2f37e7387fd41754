/**
 * The record of a call: figures, names and closed words, no prompt and no output. This is its one definition: queue
 * messages, ingested items, database rows and the JSON of the API are derived from it.
 */
import { z } from "zod";
import { instant } from "../intake/fields.ts";
import { perTokenField, type TokenCounts } from "./token-counts.ts";

const text = z.string().max(256);
const figure = z.int().nonnegative().nullable();
const flag = z.boolean();

/** `code`: the upstream's own structured code, where it has the form of one. */
export const failureRecord = z.object({ class: text, reason: text.nullable(), status: figure, code: text.nullable() });

/** One upstream request. Times are epoch or elapsed milliseconds, money is nano-dollars; `null` = unknown or not applicable. */
export const attemptRecord = z.object({
  id: text.min(1),
  index: z.int().nonnegative(),
  provider: text,
  model: text,
  rung: text,
  startedAt: instant,
  latencyMs: z.int(),
  firstByteMs: z.int().nullable(),
  status: figure,
  failure: failureRecord.nullable(),
  finish: text.nullable(),
  tokens: z.object(perTokenField(() => figure)),
  /** True when the token figures are our own count of a truncated or canceled answer. */
  usageEstimated: flag,
  /** True when the provider's figures contradict each other; the cost is the larger reading. */
  usageInconsistent: flag,
  costNano: figure,
  /**
   * Amount held by envelopes in place of an unknown bill; `null` where the bill is known or no limit covered the call.
   */
  reservedNano: figure.default(null),
  costEstimated: flag,
  tier: text,
  priceVersion: text.nullable(),
  /** Names of request fields the upstream could not carry. */
  dropped: z.array(text),
});

/** One call with all its attempts. Units as in `attemptRecord`. */
export const inferenceRecord = z.object({
  id: text.min(1),
  org: text.min(1),
  keyId: text.nullable(),
  lane: text,
  route: text.nullable(),
  routeHash: text.nullable(),
  variant: text.nullable(),
  arm: text.nullable(),
  run: text.nullable(),
  step: text.nullable(),
  stream: flag,
  startedAt: instant,
  latencyMs: z.int(),
  firstByteMs: z.int().nullable(),
  /** The candidate that served; `null` where none did. */
  provider: text.nullable(),
  model: text.nullable(),
  rung: text.nullable(),
  failure: failureRecord.nullable(),
  finish: text.nullable(),
  conformant: flag.nullable().describe("null = no schema governed the call."),
  /** Sum over the attempts; `null` when any of them is unknown. */
  costNano: figure,
  /** Sum of the amounts held for attempts whose bill is unknown; `null` where there are none. */
  reservedNano: figure.default(null),
  costEstimated: flag,
  simulated: flag,
  tags: z.record(text, text),
  /** Candidates that were skipped. */
  skipped: z.array(z.object({ candidate: text, why: text })),
  attempts: z.array(attemptRecord),
});

export type FailureRecord = Readonly<z.infer<typeof failureRecord>>;
export type AttemptRecord = Readonly<z.infer<typeof attemptRecord>> & { readonly tokens: TokenCounts };
export type InferenceRecord = Omit<Readonly<z.infer<typeof inferenceRecord>>, "attempts"> & {
  readonly attempts: readonly AttemptRecord[];
};
