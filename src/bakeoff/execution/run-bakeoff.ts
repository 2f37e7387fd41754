/** Runs the samples of a bake-off: interleaved, with bounded concurrency, and never past an envelope. */
import { addUsd, ZERO_USD } from "../../money/nano-usd.ts";
import { judgeCall, readVerdict } from "../judge/judge-call.ts";
import { foregone, inOrder, type JudgePair, JudgeScheduler, withJudgement } from "../judge/judge-scheduler.ts";
import type { JudgeVerdict } from "../judge/judge-verdict.ts";
import { armEnvelopes, judgeEnvelopes } from "../plan/bakeoff-envelopes.ts";
import type { BakeoffPlan } from "../plan/bakeoff-plan.ts";
import { type PlannedSample, schedule } from "../plan/schedule.ts";
import type { BakeoffPorts, JudgePorts } from "../ports.ts";
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
type AskedVerdict = Asked & { readonly verdict: JudgeVerdict };

/** Name of the judge's budget, beside those of the arms. No arm is named so: an arm's name is not empty. */
const JUDGE = "";

class Run {
  readonly #plan: BakeoffPlan;
  readonly #ports: BakeoffPorts;
  readonly #signal: AbortSignal;
  readonly #samples: Sample[];
  readonly #verdicts: JudgeVerdict[];
  readonly #stopped = new Map<string, StopReason>();
  readonly #waiter = new BudgetWaiter();
  readonly #waiting: ProviderQueue<PlannedSample>;
  readonly #scheduler: JudgeScheduler | undefined;
  /** Pairs whose outputs are there. */
  readonly #pairs: JudgePair[] = [];

  constructor(plan: BakeoffPlan, ports: BakeoffPorts, signal: AbortSignal) {
    this.#plan = plan;
    this.#ports = ports;
    this.#signal = signal;
    // A refusal that cost nothing left no trace to keep; its input is simply asked again.
    this.#samples = plan.done.filter(({ outcome, attempts }) => outcome !== "refused" || attempts > 0);
    this.#verdicts = [...(plan.doneVerdicts ?? [])];
    const planned = schedule(plan.inputs, plan.arms, ports.random);
    this.#scheduler = this.#openScheduler(planned);
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
    this.#recall(planned, settled);
  }

  async finish(): Promise<BakeoffRun> {
    await Promise.all(Array.from({ length: this.#plan.concurrency }, () => this.#worker()));
    for (const { arm } of this.#waiting.rest()) this.#stop(arm.name, "interrupted");
    if (this.#pairs.length > 0) this.#stop(JUDGE, "interrupted");
    const judgeStopped = this.#stopped.get(JUDGE);
    this.#stopped.delete(JUDGE);
    return {
      samples: withJudgement(this.#samples, this.#verdicts),
      stopped: this.#stopped,
      verdicts: this.#verdicts,
      judgeStopped,
    };
  }

  #openScheduler(planned: readonly PlannedSample[]): JudgeScheduler | undefined {
    const { judge } = this.#plan;
    if (judge?.type !== "judge" || this.#plan.metric !== "judge" || !this.#ports.judge) return undefined;
    const inputs = [...new Set(planned.map(({ input }) => input))];
    return new JudgeScheduler(judge, inputs, this.#ports.random, this.#verdicts);
  }

  /** Pairs of an earlier run that were not judged yet. */
  #recall(planned: readonly PlannedSample[], settled: ReadonlyMap<string, Sample>): void {
    const { judge } = this.#ports;
    if (!this.#scheduler || !judge || settled.size === 0) return;
    for (const { input, arm } of planned) {
      const sample = settled.get(keyOf(arm.name, input.id));
      if (!sample || !this.#scheduler.concerns(sample)) continue;
      const answered = sample.outcome === "conformant" || sample.outcome === "ungraded";
      const output = answered ? judge.outputOf(input.id, arm.name) : undefined;
      // An answer whose text was not kept cannot be judged any more; it is no missing answer.
      if (answered && output === undefined) continue;
      this.#pairs.push(...this.#scheduler.take(input, sample, output));
    }
  }

  async #worker(): Promise<void> {
    while (!this.#signal.aborted) {
      const pair = this.#pairs.shift();
      if (pair) {
        await this.#judgePair(pair);
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
    if (end === "taken" && this.#scheduler) this.#pairs.push(...this.#scheduler.take(input, sample, output));
  }

  async #ask({ input, arm }: PlannedSample, earlier: Sample | undefined): Promise<AskedSample> {
    const { id, org, route, metric } = this.#plan;
    const claims = armEnvelopes(id, arm, this.#plan);
    const result = await this.#ports.execute(replayCall(input, arm, { id, org, claims }));
    const read = readSample(arm.name, input, result, route, metric);
    const sample = withEarlier(read.sample, earlier);
    return { ...read, sample, attempts: sample.attempts, refused: refusalOf(sample) };
  }

  async #judgePair(pair: JudgePair): Promise<void> {
    const { judge } = this.#ports;
    if (!judge || this.#stopped.has(JUDGE)) return;
    const free = foregone(pair);
    if (free) return this.#keep(free, judge);
    for (const first of pair.orders) {
      if (this.#signal.aborted) {
        this.#stop(JUDGE, "interrupted");
        return;
      }
      const { end, last } = await this.#waiter.untilTaken<AskedVerdict>(
        (earlier) => this.#askJudge(pair, first, judge, earlier?.verdict),
        this.#budget(JUDGE),
      );
      if (end === "taken" || last.attempts > 0) this.#keep(last.verdict, judge);
      if (end !== "taken") return;
    }
  }

  async #askJudge(
    pair: JudgePair,
    first: JudgeVerdict["first"],
    ports: JudgePorts,
    earlier: JudgeVerdict | undefined,
  ): Promise<AskedVerdict> {
    const { id, org, route } = this.#plan;
    const scheduler = this.#scheduler;
    if (!scheduler) throw new RangeError("there is no judge");
    const claims = judgeEnvelopes(id, this.#plan, ports.now());
    const call = judgeCall(route, scheduler.judge.candidate, pair.input, inOrder(pair, first), { id, org, claims });
    const { arm, against, input } = pair;
    const { provider } = scheduler.judge.candidate;
    await this.#waiting.enter(provider);
    const result = await this.#ports.execute(call).finally(() => this.#waiting.leave(provider));
    const said = readVerdict({ input: input.id, arm, against, first }, result);
    const verdict = withEarlier(said, earlier);
    return { verdict, attempts: verdict.attempts, refused: refusalOf(verdict) };
  }

  #keep(verdict: JudgeVerdict, ports: JudgePorts): void {
    ports.onVerdict(verdict);
    this.#verdicts.push(verdict);
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

function refusalOf({ failure }: Pick<Sample, "failure">): string | undefined {
  return failure?.class === "budget_exhausted" ? (failure.reason ?? "budget_exhausted") : undefined;
}

type Paid = Pick<Sample, "cost" | "costEstimated" | "attempts"> & { readonly repairCost?: Sample["repairCost"] };

/** What was refused midway and asked again has cost both times. */
export function withEarlier<T extends Paid>(now: T, earlier: T | undefined): T {
  if (!earlier) return now;
  const cost = now.cost === undefined || earlier.cost === undefined ? undefined : addUsd(now.cost, earlier.cost);
  return {
    ...now,
    cost,
    costEstimated: now.costEstimated || earlier.costEstimated,
    ...(now.repairCost !== undefined && { repairCost: addUsd(now.repairCost, earlier.repairCost ?? ZERO_USD) }),
    attempts: now.attempts + earlier.attempts,
  };
}
