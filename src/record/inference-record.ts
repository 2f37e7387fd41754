/**
 * What is kept of a call: figures, names and closed words, no prompt and no output. This is the one definition: queue
 * messages, ingested items, database rows and the JSON of the API are made from it.
 */
import { z } from "zod";
import { instant } from "../intake/fields.ts";
import { perTokenField, type TokenCounts } from "./token-counts.ts";

const text = z.string().max(256);
const figure = z.int().nonnegative().nullable();
const flag = z.boolean();

/** `code`: the upstream's own structured code, where it looks like one. */
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
  /** The token figures are our own count of a cut or canceled answer. */
  usageEstimated: flag,
  /** The provider's figures contradict each other; the cost is the larger reading. */
  usageInconsistent: flag,
  costNano: figure,
  /** What envelopes hold in place of a bill that is unknown; `null` where the bill is known or no limit covered the call. */
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
  /** Who served; `null` where nobody did. */
  provider: text.nullable(),
  model: text.nullable(),
  rung: text.nullable(),
  failure: failureRecord.nullable(),
  finish: text.nullable(),
  conformant: flag.nullable().describe("null = no schema governed the call."),
  /** Sum over the attempts; `null` as soon as one is unknown. */
  costNano: figure,
  /** Sum of what envelopes hold for attempts whose bill is unknown; `null` where there are none. */
  reservedNano: figure.default(null),
  costEstimated: flag,
  simulated: flag,
  tags: z.record(text, text),
  /** Candidates that were passed over. */
  skipped: z.array(z.object({ candidate: text, why: text })),
  attempts: z.array(attemptRecord),
});

export type FailureRecord = Readonly<z.infer<typeof failureRecord>>;
export type AttemptRecord = Readonly<z.infer<typeof attemptRecord>> & { readonly tokens: TokenCounts };
export type InferenceRecord = Omit<Readonly<z.infer<typeof inferenceRecord>>, "attempts"> & {
  readonly attempts: readonly AttemptRecord[];
};
