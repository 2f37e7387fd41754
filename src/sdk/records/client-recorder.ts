/** Records the calls of wrapped clients, with what the wire readers took from their answers. */
import type { Failure } from "../../failure/failure.ts";
import type { PriceBook } from "../../money/price.ts";
import type { Usage } from "../../money/usage.ts";
import type { ProviderTable } from "../../provider/provider.ts";
import { recordedCall, recordedInference } from "../../telemetry/recorded.ts";
import type { Exporter } from "../export/exporter.ts";
import { marksOf } from "../marks.ts";
import type { RunContext } from "../run-context.ts";
import type { Rig } from "../surface.ts";
import { reasonOf, type Warnings } from "../warnings.ts";
import type { WrapOptions } from "../wrap/wrap-options.ts";
import type { ArtifactApi } from "./artifact-api.ts";

/** One upstream request that a wrapped client made. */
export interface ObservedCall {
  readonly provider: string;
  readonly model: string;
  readonly usage?: Usage | undefined;
  readonly servedTier?: string | undefined;
  /** The provider's own word. */
  readonly finishReason?: string | undefined;
  readonly failure?: Failure | undefined;
  readonly stream: boolean;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly latencyMs: number;
  /** Milliseconds until the first bytes of a stream's body. */
  readonly firstByteMs?: number | undefined;
  /** What was asked, as chat messages where the client's form can be read as such. */
  readonly asked?: unknown;
  readonly answered?: string | undefined;
}

export interface ClientRecorder {
  readonly providers: ProviderTable;
  readonly warn: Warnings;
  /** Epoch milliseconds. */
  now(): number;
  isPriced(provider: string, model: string): boolean;
  /** Takes the run that is around the call now. The returned function records the call; it never throws. */
  begin(options: WrapOptions): (call: ObservedCall) => void;
}

interface ClientRecorderPorts {
  readonly context: RunContext;
  readonly exporter: Exporter;
  readonly artifact: ArtifactApi;
  readonly warn: Warnings;
  readonly now: () => number;
  readonly newId: (prefix: string) => string;
  readonly prices: () => PriceBook;
  readonly providers: ProviderTable;
}

export function clientRecorder(ports: ClientRecorderPorts): ClientRecorder {
  const { context, exporter, artifact, warn, now, newId, prices, providers } = ports;
  const record = (call: ObservedCall, marks: ReturnType<typeof marksOf>, { artifacts }: WrapOptions): void => {
    const { usage, failure, asked, answered, ...figures } = call;
    const { tags, run, step } = marks;
    const reported = recordedCall.parse({ ...figures, failureClass: failure?.class, tags, run, stepKey: step });
    const inference = recordedInference(reported, {
      ...{ org: "local", now: now(), prices: prices(), newId },
      observed: { usage, failure },
    });
    exporter.add({ type: "inference", inference });
    if (artifacts !== true) return;
    const of = { inferenceId: inference.id, run, stepKey: step };
    const name = (part: string): string => (step === undefined ? part : `${step}.${part}`);
    const prompt = asked === undefined ? null : artifact.save(asked, { name: name("prompt"), type: "prompt", ...of });
    if (answered === undefined) return;
    const answer = artifact.save(answered, { name: name("answer"), type: "raw_response", task: step, ...of });
    if (prompt && answer) artifact.link(answer, prompt, "derived_from");
  };
  return {
    ...{ providers, warn, now },
    isPriced: (provider, model) => prices().find(provider, model, new Date(now())) !== undefined,
    begin(options) {
      const marks = marksOf(options, context, warn);
      return (call) => {
        try {
          record(call, marks, options);
        } catch (cause) {
          warn.once("wrapped call", `a call of a wrapped client was not recorded: ${reasonOf(cause)}`);
        }
      };
    },
  };
}

/** A property that two copies of this package, one of them CommonJS, find alike. */
const RECORDER = Symbol.for("modelrig.client-recorder");

export function withClientRecorder(rig: Rig, recorder: ClientRecorder): Rig {
  return Object.defineProperty(rig, RECORDER, { value: recorder });
}

/** Undefined for a rig that records nothing. */
export function clientRecorderOf(rig: Rig): ClientRecorder | undefined {
  return (rig as Rig & { readonly [RECORDER]?: ClientRecorder })[RECORDER];
}
