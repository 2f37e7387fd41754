import type { Failure } from "../failure/failure.ts";
import { type NanoUsd, nanoUsd } from "../money/nano-usd.ts";
import type { ServedRung } from "../route/route.ts";
import type { CallInput } from "./call.ts";
import type { Attempt, Inference, Skip } from "./inference.ts";
import type { CallPorts } from "./ports.ts";

interface InferenceEnd {
  readonly failure?: Failure | undefined;
  readonly conformant?: boolean | undefined;
  /** The attempt whose answer was served. */
  readonly served?: Attempt | undefined;
  readonly rung?: ServedRung | undefined;
}

/** Collects what happens during a call and builds its record. */
export class InferenceLog {
  readonly id: string;
  readonly attempts: Attempt[] = [];
  readonly skipped: Skip[] = [];
  readonly #input: CallInput;
  readonly #ports: CallPorts;
  readonly #startedAt: number;
  #finished = false;

  constructor(input: CallInput, ports: CallPorts) {
    this.id = ports.newId("inf");
    this.#input = input;
    this.#ports = ports;
    this.#startedAt = ports.clock.now();
  }

  get finished(): boolean {
    return this.#finished;
  }

  /** Builds the record and passes it to the recorder. Call once. */
  finish(end: InferenceEnd): Inference {
    this.#finished = true;
    const { context, stream } = this.#input;
    const { served } = end;
    const inference: Inference = {
      ...context,
      id: this.id,
      stream,
      startedAt: this.#startedAt,
      latencyMs: this.#ports.clock.now() - this.#startedAt,
      firstByteMs:
        served?.firstByteMs === undefined ? undefined : served.startedAt - this.#startedAt + served.firstByteMs,
      served: served && { provider: served.provider, model: served.model },
      rung: end.rung,
      failure: end.failure,
      finish: served?.finish,
      conformant: end.conformant,
      attempts: this.attempts,
      skipped: this.skipped,
      cost: totalCost(this.attempts),
      costEstimated: this.attempts.some((attempt) => attempt.costEstimated),
      simulated: this.attempts.some((attempt) => this.#ports.providers.find(attempt.provider)?.simulated === true),
    };
    this.#ports.recorder.record(inference);
    return inference;
  }
}

/** Unknown when the cost of any attempt is unknown. */
function totalCost(attempts: readonly Attempt[]): NanoUsd | undefined {
  let total = 0;
  for (const attempt of attempts) {
    if (attempt.cost === undefined) return undefined;
    total += attempt.cost;
  }
  return nanoUsd(total);
}
