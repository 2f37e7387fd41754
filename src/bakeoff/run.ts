/** Runs the samples of a bake-off: interleaved, with bounded concurrency, and never past an arm's envelope. */
import type { EnvelopeClaim } from "../envelope/envelope.ts";
import { addUsd, type NanoUsd } from "../money/nano-usd.ts";
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

/** One sample's way: `again` = it was not finished and stays to be sent; a sample that comes with it was paid for. */
interface Outcome {
  readonly sample?: Sample | undefined;
  readonly again: boolean;
}

class Run {
  readonly #plan: BakeoffPlan;
  readonly #ports: BakeoffPorts;
  readonly #signal: AbortSignal;
  readonly #samples: Sample[];
  readonly #stopped = new Map<string, StopReason>();
  readonly #desks: ReadonlyMap<string, Desk>;
  readonly #waiting: PlannedSample[];

  constructor(plan: BakeoffPlan, ports: BakeoffPorts, signal: AbortSignal) {
    this.#plan = plan;
    this.#ports = ports;
    this.#signal = signal;
    // A refusal that cost nothing left no trace to keep; its input is simply asked again.
    this.#samples = plan.done.filter(({ outcome, attempts }) => outcome !== "refused" || attempts > 0);
    this.#desks = new Map(
      plan.arms.map(({ name }) => [name, new Desk([replayEnvelope(plan.id, name, plan.budgetPerArm)])] as const),
    );
    const settled = new Set(
      this.#samples.filter(({ outcome }) => outcome !== "refused").map(({ arm, input }) => `${arm}\n${input}`),
    );
    this.#waiting = schedule(plan.inputs, plan.arms, ports.random)
      .filter(({ arm, input }) => !settled.has(`${arm.name}\n${input.id}`))
      .reverse();
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
      const { sample, again } = await this.#sample(next);
      if (again) this.#waiting.push(next);
      if (!sample) continue;
      this.#ports.onSample(sample);
      this.#samples.push(sample);
    }
  }

  /** Asks until the envelope takes it. A refusal that may pass waits for calls in flight; any other stops the arm. */
  async #sample({ input, arm }: PlannedSample): Promise<Outcome> {
    const desk = this.#desk(arm);
    let paid: Sample | undefined;
    for (;;) {
      const before = desk.finished;
      desk.executing += 1;
      const attempt = await this.#attempt(input, arm, desk.claims);
      desk.executing -= 1;
      const sample = withEarlier(attempt, paid);
      if (sample.outcome !== "refused") {
        desk.finish();
        return { sample, again: false };
      }
      paid = sample.attempts > 0 ? sample : undefined;
      if (this.#stopped.has(arm.name)) return { sample: paid, again: true };
      const idle = desk.executing === 0 && desk.finished === before;
      // Refused midway, it has settled what it paid for: that may be the room another one waits for.
      const mayPass = !idle || (attempt.attempts > 0 && desk.wake() > 0);
      if (sample.failure?.reason !== "envelope_busy" || !mayPass) {
        this.#stopped.set(arm.name, sample.failure?.reason === "unpriced" ? "unpriced" : "budget");
        desk.wake();
        return { sample, again: true };
      }
      if (desk.finished === before) await desk.change();
      if (this.#signal.aborted || this.#stopped.has(arm.name)) return { sample: paid, again: true };
    }
  }

  async #attempt(input: ReplayInput, arm: Arm, claims: readonly EnvelopeClaim[]): Promise<Sample> {
    const { id, org, route } = this.#plan;
    const result = await this.#ports.execute(replayCall(input, arm, { id, org, claims }));
    return sampleOf(arm.name, input.id, result, route);
  }

  #desk({ name }: Arm): Desk {
    const desk = this.#desks.get(name);
    if (!desk) throw new RangeError(`${name} is no arm of this bake-off`);
    return desk;
  }
}

/** What the samples of one arm share: its envelope, and who waits for it to have room again. */
class Desk {
  readonly claims: readonly EnvelopeClaim[];
  executing = 0;
  /** Calls that ended and settled: each may have made room. */
  finished = 0;
  #waiters: (() => void)[] = [];

  constructor(claims: readonly EnvelopeClaim[]) {
    this.claims = claims;
  }

  finish(): void {
    this.finished += 1;
    this.wake();
  }

  /** Resolves when a call has finished, or the arm has stopped. */
  change(): Promise<void> {
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  /** Answers how many were waiting. */
  wake(): number {
    const waiters = this.#waiters.splice(0);
    for (const resolve of waiters) resolve();
    return waiters.length;
  }
}

/** A sample that was refused midway and asked again has cost both times. */
function withEarlier(sample: Sample, earlier: Sample | undefined): Sample {
  if (!earlier) return sample;
  const cost = sample.cost === undefined || earlier.cost === undefined ? undefined : addUsd(sample.cost, earlier.cost);
  return {
    ...sample,
    cost,
    costEstimated: sample.costEstimated || earlier.costEstimated,
    repairCost: addUsd(sample.repairCost, earlier.repairCost),
    attempts: sample.attempts + earlier.attempts,
  };
}
