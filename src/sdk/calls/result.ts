/** What a call answers, however it was served. */
import type { Attempt, Inference } from "../../call/inference.ts";
import type { Failure } from "../../failure/failure.ts";
import { nanoToUsdText } from "../../money/nano-usd.ts";
import { type AttemptSummary, RigError } from "../errors.ts";

export interface RunMeta {
  /** Names the call in grades and in the gateway. */
  readonly inferenceId: string;
  readonly route?: string | undefined;
  readonly variant?: string | undefined;
  readonly arm?: string | undefined;
  /** `provider/model` that answered. */
  readonly served: string;
  /** How JSON was asked for; `none` without a schema. */
  readonly rung: string;
  /** Upstream requests it took. */
  readonly attempts: number;
  /** The output passed the schema; absent where none governs. */
  readonly conformant?: boolean | undefined;
  readonly finish?: string | undefined;
  /** Exact decimal dollars, nine places, failed attempts included; absent = unknown. */
  readonly costUsd?: string | undefined;
  readonly costEstimated: boolean;
  readonly latencyMs?: number | undefined;
  readonly usage: { readonly tokensIn?: number | undefined; readonly tokensOut?: number | undefined };
  /** Answered by the simulated provider. */
  readonly simulated: boolean;
  readonly runId?: string | undefined;
  readonly stepKey?: string | undefined;
}

export interface RunResult<T = unknown> {
  /** The validated JSON where a schema governs, else the text. `T` is the caller's word for it. */
  readonly output: T;
  readonly text: string;
  readonly meta: RunMeta;
}

export function metaOf(inference: Inference): RunMeta {
  const { served, cost, route, variant, arm, run, step } = inference;
  const usage = inference.attempts.at(-1)?.usage;
  return {
    inferenceId: inference.id,
    ...{ route, variant, arm },
    served: served ? `${served.provider}/${served.model}` : "",
    rung: inference.rung ?? "none",
    attempts: inference.attempts.length,
    conformant: inference.conformant,
    finish: inference.finish?.unified,
    costUsd: cost === undefined ? undefined : nanoToUsdText(cost),
    costEstimated: inference.costEstimated,
    latencyMs: Math.round(inference.latencyMs),
    usage: { tokensIn: usage?.input.total, tokensOut: usage?.output.total },
    simulated: inference.simulated,
    ...{ runId: run, stepKey: step },
  };
}

export function errorOf(failure: Failure, inference: Inference): RigError {
  return new RigError(failure, {
    inferenceId: inference.id,
    attempts: inference.attempts.map(summaryOf),
    costUsd: inference.cost === undefined ? undefined : nanoToUsdText(inference.cost),
  });
}

function summaryOf({ provider, model, rung, latencyMs, status, failure }: Attempt): AttemptSummary {
  const { class: failureClass, reason, message } = failure ?? {};
  return { provider, model, rung, latencyMs: Math.round(latencyMs), status, failureClass, reason, message };
}
