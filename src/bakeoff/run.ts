/** Runs the samples of a bake-off: interleaved, with bounded concurrency, and never past an arm's envelope. */
import type { EnvelopeClaim } from "../envelope/envelope.ts";
import type { NanoUsd } from "../money/nano-usd.ts";
import type { Route } from "../route/route.ts";
import type { Arm } from "./arm.ts";
import type { BakeoffPorts } from "./ports.ts";
import { replayCall } from "./replay.ts";
import type { ReplayInput } from "./replay-input.ts";
import { type Sample, sampleOf } from "./sample.ts";
import { type PlannedSample, schedule } from "./schedule.ts";

export interface BakeoffPlan {
  readonly id: string;
  readonly org: string;
  readonly route: Route;
  readonly arms: readonly Arm[];
  readonly inputs: readonly ReplayInput[];
  /** Limit of each arm's own replay-pass envelope. */
  readonly budgetPerArm: NanoUsd;
  readonly concurrency: number;
  /** Samples of an earlier, interrupted run of the same plan: kept, not paid again. */
  readonly done: readonly Sample[];
}

/** Why an arm has fewer samples than inputs; absent = it has them all. */
export type StopReason = "budget" | "unpriced" | "interrupted";

export interface BakeoffRun {
  readonly samples: readonly Sample[];
  readonly stopped: ReadonlyMap<string, StopReason>;
}

/** The envelope that bounds one arm of one bake-off. */
export function replayEnvelope(bakeoff: string, arm: string, limit: NanoUsd): EnvelopeClaim {
  return { scope: "replay-pass", id: `replay-pass:${bakeoff}:${arm}`, limit };
}

/** Stops taking new samples when `signal` aborts and finishes those in flight. */
export async function runBakeoff(plan: BakeoffPlan, ports: BakeoffPorts, signal: AbortSignal): Promise<BakeoffRun> {
  return new Run(plan, ports, signal).finish();
}

class Run {
  readonly #plan: BakeoffPlan;
  readonly #ports: BakeoffPorts;
  readonly #signal: AbortSignal;
  readonly #samples: Sample[];
  readonly #stopped = new Map<string, StopReason>();
  readonly #claims: ReadonlyMap<string, readonly EnvelopeClaim[]>;
  readonly #waiting: PlannedSample[];
  /** Calls in flight by arm: a reservation that does not fit now may fit when one of these settles. */
  readonly #inFlight = new Map<string, Set<Promise<unknown>>>();

  constructor(plan: BakeoffPlan, ports: BakeoffPorts, signal: AbortSignal) {
    this.#plan = plan;
    this.#ports = ports;
    this.#signal = signal;
    // A refusal that cost nothing left no trace to keep; its input is simply asked again.
    this.#samples = plan.done.filter(({ outcome, attempts }) => outcome !== "refused" || attempts > 0);
    this.#claims = new Map(
      plan.arms.map(({ name }) => [name, [replayEnvelope(plan.id, name, plan.budgetPerArm)]] as const),
    );
    const settled = new Set(
      this.#samples.filter(({ outcome }) => outcome !== "refused").map(({ arm, input }) => `${arm}\n${input}`),
    );
    this.#waiting = schedule(plan.inputs, plan.arms, ports.random)
      .filter(({ arm, input }) => !settled.has(`${arm.name}\n${input.id}`))
      .reverse();
    for (const { name } of plan.arms) this.#inFlight.set(name, new Set());
  }

  async finish(): Promise<BakeoffRun> {
    await Promise.all(Array.from({ length: this.#plan.concurrency }, () => this.#worker()));
    for (const { arm } of this.#waiting) if (!this.#stopped.has(arm.name)) this.#stopped.set(arm.name, "interrupted");
    return { samples: this.#samples, stopped: this.#stopped };
  }

  async #worker(): Promise<void> {
    while (!this.#signal.aborted) {
      const next = this.#waiting.pop();
      if (!next) return;
      if (this.#stopped.has(next.arm.name)) continue;
      const sample = await this.#sample(next);
      if (!sample) {
        this.#waiting.push(next);
        return;
      }
      this.#ports.onSample(sample);
      this.#samples.push(sample);
    }
  }

  /** One sample; `undefined` when the run was interrupted before it could be sent. */
  async #sample({ input, arm }: PlannedSample): Promise<Sample | undefined> {
    for (;;) {
      const sample = await this.#attempt(input, arm);
      if (sample.outcome !== "refused") return sample;
      const others = this.#inFlight.get(arm.name);
      // Only a refusal that cost nothing may be asked again; one after a paid attempt is part of the result.
      const mayFitLater = sample.failure?.reason === "envelope_busy" && sample.attempts === 0;
      if (!mayFitLater || !others || others.size === 0 || this.#stopped.has(arm.name)) return this.#breach(sample);
      await Promise.race(others);
      if (this.#signal.aborted) return undefined;
    }
  }

  async #attempt(input: ReplayInput, arm: Arm): Promise<Sample> {
    const { id, org, route } = this.#plan;
    const call = replayCall(input, arm, { id, org, claims: this.#claims.get(arm.name) ?? [] });
    const running = this.#ports.execute(call);
    const inFlight = this.#inFlight.get(arm.name);
    inFlight?.add(running);
    try {
      return sampleOf(arm.name, input.id, await running, route);
    } finally {
      inFlight?.delete(running);
    }
  }

  #breach(sample: Sample): Sample {
    const reason = sample.failure?.reason === "unpriced" ? "unpriced" : "budget";
    if (!this.#stopped.has(sample.arm)) this.#stopped.set(sample.arm, reason);
    return sample;
  }
}
