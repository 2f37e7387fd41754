/** Replays captures. */
import { uuidv7 } from "uuidv7";
import { replayCall } from "../../bakeoff/execution/replay-call.ts";
import { armsOf } from "../../bakeoff/plan/arm.ts";
import type { CallInput, CallResult } from "../../call/call.ts";
import { executeCall } from "../../call/execute.ts";
import type { CallPorts } from "../../call/ports.ts";
import type { Capture } from "../../capture/capture.ts";
import type { EnvelopeClaim } from "../../envelope/envelope.ts";
import { envelopeClaim } from "../../envelope/period.ts";
import { failure } from "../../failure/failure.ts";
import { type NanoUsd, usdToNano } from "../../money/nano-usd.ts";
import type { Route } from "../../route/route.ts";
import { answerText } from "../../wire/chat.ts";
import { LOCAL_ORG } from "../../workspace/local-org.ts";
import { RigError } from "../errors.ts";
import type { ReplayOptions, ReplaySample } from "./replay-sample.ts";
import { metaOf } from "./result.ts";

interface ReplayPorts {
  readonly calls: CallPorts;
  readonly orgPerMonth: NanoUsd | undefined;
  readonly captures: (route: string, limit: number) => Promise<readonly Capture[]>;
}

const DEFAULT_LAST = 50;
const DEFAULT_CONCURRENCY = 4;

/** A pass that met its limit ends in a `refused` sample; what was answered before stands. */
export async function replay(
  route: Route,
  options: ReplayOptions,
  ports: ReplayPorts,
): Promise<readonly ReplaySample[]> {
  const { variant = "default", lastN = DEFAULT_LAST, envelopeUsd, concurrency = DEFAULT_CONCURRENCY } = options;
  if (!Number.isFinite(envelopeUsd) || envelopeUsd < 0) {
    throw new RigError(failure("bad_request", "envelopeUsd is an amount in dollars", { param: "envelopeUsd" }));
  }
  const arms = armsOf(route, [], variant);
  if (!arms.ok) throw new RigError(arms.error);
  const [arm] = arms.value;
  if (!arm) throw new RangeError("a bake-off without arms");
  const id = `rp_${uuidv7()}`;
  const now = ports.calls.clock.now();
  const claims: EnvelopeClaim[] = [envelopeClaim("replay-pass", [id], usdToNano(envelopeUsd), now)];
  if (ports.orgPerMonth !== undefined) claims.push(envelopeClaim("org-month", [], ports.orgPerMonth, now));
  const captured = await ports.captures(route.name, lastN);
  const calls = captured.map((capture) => ({
    capture,
    input: replayCall(capture, arm, { id, org: LOCAL_ORG, claims }),
  }));
  return await new Pass(calls.reverse(), ports.calls, options.signal).finish(concurrency);
}

interface Planned {
  readonly capture: Capture;
  readonly input: CallInput;
}

class Pass {
  readonly #waiting: Planned[];
  readonly #ports: CallPorts;
  readonly #signal: AbortSignal | undefined;
  readonly #samples: ReplaySample[] = [];
  #executing = 0;
  #finished = 0;
  #stopped = false;
  #changed: (() => void)[] = [];

  constructor(calls: readonly Planned[], ports: CallPorts, signal: AbortSignal | undefined) {
    this.#waiting = [...calls].reverse();
    this.#ports = ports;
    this.#signal = signal;
  }

  async finish(concurrency: number): Promise<readonly ReplaySample[]> {
    await Promise.all(Array.from({ length: Math.max(1, concurrency) }, () => this.#worker()));
    return this.#samples;
  }

  async #worker(): Promise<void> {
    while (!this.#stopped && !this.#signal?.aborted) {
      const next = this.#waiting.pop();
      if (!next) return;
      const sample = await this.#ask(next);
      if (sample) this.#samples.push(sample);
    }
  }

  /** A refusal that may pass waits for a call in flight to settle; any other ends the pass. */
  async #ask(planned: Planned): Promise<ReplaySample | undefined> {
    for (;;) {
      const before = this.#finished;
      this.#executing += 1;
      const result = await executeCall(planned.input, this.#ports);
      this.#executing -= 1;
      const sample = sampleOf(planned.capture, result);
      const paid = result.type === "failure" && result.inference.attempts.length > 1;
      if (sample.outcome !== "refused" || paid) this.#finish();
      if (sample.outcome !== "refused") return sample;
      const busy = result.type === "failure" && result.failure.reason === "envelope_busy";
      if (this.#stopped) return undefined;
      if (!busy || (this.#executing === 0 && this.#finished === before)) {
        this.#stopped = true;
        this.#finish();
        return sample;
      }
      if (this.#finished === before) await new Promise<void>((resolve) => this.#changed.push(resolve));
    }
  }

  #finish(): void {
    this.#finished += 1;
    for (const wake of this.#changed.splice(0)) wake();
  }
}

function sampleOf({ id, output: capturedText }: Capture, result: CallResult): ReplaySample {
  if (result.type === "stream") throw new TypeError("replay calls are not streamed");
  const meta = metaOf(result.inference);
  const common = { captureId: id, capturedText, meta };
  if (result.type === "failure") {
    const failureClass = result.failure.class;
    return { ...common, outcome: failureClass === "budget_exhausted" ? "refused" : "failed", failureClass };
  }
  const [choice] = result.answer.choices;
  const text = choice ? answerText(choice) : "";
  return { ...common, outcome: "answered", output: result.output === undefined ? text : result.output, text };
}
