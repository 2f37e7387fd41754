/** `rig.recordCall`: a call somebody made without the rig, with the figures its provider reported. */
import type { FailureClass } from "../failure/failure.ts";
import type { PriceBook } from "../money/price.ts";
import { recordedCall, recordedInference } from "../telemetry/recorded.ts";
import type { Exporter } from "./exporter.ts";
import { marksOf } from "./marks.ts";
import type { RunContext } from "./run-context.ts";
import { reasonOf, type Warnings } from "./warnings.ts";

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

export interface RecordCallPorts {
  readonly context: RunContext;
  readonly exporter: Exporter;
  readonly warn: Warnings;
  readonly now: () => number;
  readonly newId: (prefix: string) => string;
  readonly prices: () => PriceBook;
}

export function recordCall(input: RecordCallInput, ports: RecordCallPorts): RecordedCallRef {
  const { context, exporter, warn, now, newId, prices } = ports;
  try {
    const { tags, run, step } = marksOf(input, context, warn);
    const parsed = recordedCall.safeParse({ ...input, tags, run, stepKey: step });
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      const why = [issue?.path.join("."), issue?.message].filter(Boolean).join(": ");
      warn.once("recordCall", `recordCall was given what does not fit, and recorded nothing: ${why}`);
      return { inferenceId: null };
    }
    const inference = recordedInference(parsed.data, { org: "local", now: now(), prices: prices(), newId });
    exporter.add({ type: "inference", inference });
    return { inferenceId: inference.id };
  } catch (cause) {
    warn.once("recordCall", `recordCall recorded nothing: ${reasonOf(cause)}`);
    return { inferenceId: null };
  }
}
