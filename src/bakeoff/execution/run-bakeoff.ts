/** Runs the samples of a bake-off: interleaved, with bounded concurrency, and never past an envelope. */
import { withJudgement } from "../judge/judge-scheduler.ts";
import { Judging } from "../judge/judging.ts";
import { armEnvelopes } from "../plan/bakeoff-envelopes.ts";
import type { BakeoffPlan } from "../plan/bakeoff-plan.ts";
import { type PlannedSample, schedule } from "../plan/schedule.ts";
import type { BakeoffPorts } from "../ports.ts";
import { refusalOf, withEarlier } from "./asked-again.ts";
import type { BakeoffRun, StopReason } from "./bakeoff-run.ts";
import { type ArmBudget, type Asked, BudgetWaiter } from "./budget-waiter.ts";
import { ProviderQueue } from "./provider-queue.ts";
import { readSample, type SampleRead } from "./read-sample.ts";
import { replayCall } from "./replay-call.ts";
import type { Sample } from "./sample.ts";

/** Stops taking new samples when `signal` aborts and finishes those in flight. */
export async function runBakeoff(plan: BakeoffPlan, ports: BakeoffPorts, signal: AbortSignal): Promise<BakeoffRun> {
  return new Run(plan, ports, signal).finish();
}

type AskedSample = Asked & SampleRead;

/** Name of the judge's budget, beside those of the arms. No arm is named so: an arm's name is not empty. */
const JUDGE = "";

class Run {
  readonly #plan: BakeoffPlan;
  readonly #ports: BakeoffPorts;
  readonly #signal: AbortSignal;
  readonly #samples: Sample[];
  readonly #stopped = new Map<string, StopReason>();
  readonly #waiter = new BudgetWaiter();
  readonly #waiting: ProviderQueue<PlannedSample>;
  readonly #judging: Judging | undefined;

  constructor(plan: BakeoffPlan, ports: BakeoffPorts, signal: AbortSignal) {
    this.#plan = plan;
    this.#ports = ports;
    this.#signal = signal;
    // A refusal that cost nothing left no trace to keep; its input is simply asked again.
    this.#samples = plan.done.filter(({ outcome, attempts }) => outcome !== "refused" || attempts > 0);
    const planned = schedule(plan.inputs, plan.arms, ports.random);
    const settled = new Map(
      this.#samples
        .filter(({ outcome }) => outcome !== "refused")
        .map((sample) => [keyOf(sample.arm, sample.input), sample]),
    );
    this.#waiting = new ProviderQueue(
      planned.filter(({ arm, input }) => !settled.has(keyOf(arm.name, input.id))),
      ({ arm }) => arm.narrowed.candidates[0]?.provider ?? "",
      plan.perProvider ?? plan.concurrency,
      plan.concurrency,
    );
    this.#judging = this.#openJudging(planned);
    for (const { input, arm } of planned) {
      const sample = settled.get(keyOf(arm.name, input.id));
      if (sample) this.#judging?.recall(input, sample);
    }
  }

  async finish(): Promise<BakeoffRun> {
    const { concurrency } = this.#plan;
    await this.#judging?.open();
    await Promise.all(Array.from({ length: concurrency }, () => this.#worker()));
    for (const { arm } of this.#waiting.rest()) this.#stop(arm.name, "interrupted");
    await this.#judging?.finish(concurrency);
    const judged = this.#judging?.end();
    const judgeStopped = this.#stopped.get(JUDGE);
    this.#stopped.delete(JUDGE);
    const usable = judged && judged.unusable === undefined;
    const samples = usable ? withJudgement(this.#samples, judged.verdicts) : this.#samples;
    return { samples, stopped: this.#stopped, judged, judgeStopped };
  }

  #openJudging(planned: readonly PlannedSample[]): Judging | undefined {
    const { judge, metric } = this.#plan;
    if (judge?.type !== "judge" || metric !== "judge" || !this.#ports.judge) return undefined;
    const inputs = [...new Set(planned.map(({ input }) => input))];
    return new Judging(this.#plan, judge, inputs, this.#ports.judge, {
      execute: this.#ports.execute,
      enter: (provider) => this.#waiting.enter(provider),
      leave: (provider) => this.#waiting.leave(provider),
      random: this.#ports.random,
      waiter: this.#waiter,
      budget: this.#budget(JUDGE),
      interrupt: () => this.#stop(JUDGE, "interrupted"),
    });
  }

  async #worker(): Promise<void> {
    while (!this.#signal.aborted) {
      const pair = this.#judging?.next();
      if (pair) {
        await this.#judging?.judge(pair);
        continue;
      }
      const next = this.#waiting.take();
      if (next === "none") return;
      if (next === "busy") await this.#waiting.change();
      else await this.#sample(next);
    }
  }

  async #sample(planned: PlannedSample): Promise<void> {
    const { input, arm } = planned;
    if (this.#stopped.has(arm.name)) return this.#waiting.done(planned);
    const { end, last } = await this.#waiter.untilTaken<AskedSample>(
      (earlier) => this.#ask(planned, earlier?.sample),
      this.#budget(arm.name),
    );
    this.#waiting.done(planned);
    // One that was not finished stays to be sent.
    if (end !== "taken") this.#waiting.putBack(planned);
    const { sample, output, inference } = last;
    if (end === "stopped" && sample.attempts === 0) return;
    if (output !== undefined) this.#ports.onOutput?.({ input: input.id, arm: arm.name, output, inference });
    this.#ports.onSample(sample);
    this.#samples.push(sample);
    if (end === "taken") this.#judging?.take(input, sample, output);
  }

  async #ask({ input, arm }: PlannedSample, earlier: Sample | undefined): Promise<AskedSample> {
    const { id, org, route, metric } = this.#plan;
    const claims = armEnvelopes(id, arm, this.#plan);
    const result = await this.#ports.execute(replayCall(input, arm, { id, org, claims }));
    const read = readSample(arm.name, input, result, route, metric);
    const sample = withEarlier(read.sample, earlier);
    return { ...read, sample, attempts: sample.attempts, refused: refusalOf(sample) };
  }

  #budget(name: string): ArmBudget {
    return {
      stopped: () => this.#signal.aborted || this.#stopped.has(name),
      spend: (refused) => this.#stop(name, refused === "unpriced" ? "unpriced" : "budget"),
    };
  }

  /** The first reason stands. */
  #stop(name: string, reason: StopReason): void {
    if (!this.#stopped.has(name)) this.#stopped.set(name, reason);
  }
}

function keyOf(arm: string, input: string): string {
  return `${arm}\n${input}`;
}
