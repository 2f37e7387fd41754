/** `rig.recordCall`: a call somebody made without the rig, with the figures its provider reported. */
import type { FailureClass } from "../../failure/failure.ts";

export interface RecordedUsage {
  /** The whole input, tokens read from and written to a cache included. */
  readonly tokensIn?: number | undefined;
  /** The whole output, reasoning included. */
  readonly tokensOut?: number | undefined;
  /** The part of `tokensIn` read from a cache. */
  readonly tokensCached?: number | undefined;
  /** The part of `tokensIn` written to a cache. */
  readonly cacheWriteTokens?: number | undefined;
  /** The part of `tokensOut` that was reasoning. */
  readonly reasoningTokens?: number | undefined;
}

export interface RecordCallInput {
  /** Your own id of the call: reporting it again changes nothing. Default: one is made. */
  readonly id?: string | undefined;
  readonly provider: string;
  readonly model: string;
  /** Counts as the provider reported them. Leave out what it did not report: zero is a count. */
  readonly usage?: RecordedUsage | undefined;
  /** What the provider itself says the call cost, in dollars; it wins over the price book. */
  readonly costUsd?: number | undefined;
  /** The tier that served (`standard`, `flex`, `priority`, `batch`); it is priced at that tier. */
  readonly servedTier?: string | undefined;
  readonly latencyMs?: number | undefined;
  readonly firstByteMs?: number | undefined;
  /** Epoch milliseconds. Default: now less the latency. */
  readonly startedAt?: number | undefined;
  readonly stream?: boolean | undefined;
  /** Id of a run; default: the run around the call. */
  readonly run?: string | undefined;
  readonly stepKey?: string | undefined;
  readonly tags?: Readonly<Record<string, string>> | undefined;
  /** The provider's own word. */
  readonly finishReason?: string | undefined;
  /** Default: the call succeeded. */
  readonly failureClass?: FailureClass | undefined;
}

export interface RecordedCallRef {
  /** `null` where nothing was recorded. */
  readonly inferenceId: string | null;
}
