/** The judge's part of a run: it is examined on what the arms answered, then asked about their pairs. */
import type { CallInput, CallResult } from "../../call/call.ts";
import type { ReplayInput } from "../../replay/replay-input.ts";
import { refusalOf, withEarlier } from "../execution/asked-again.ts";
import type { ArmBudget, Asked, BudgetWaiter } from "../execution/budget-waiter.ts";
import type { Sample } from "../execution/sample.ts";
import { judgeEnvelopes } from "../plan/bakeoff-envelopes.ts";
import type { BakeoffPlan } from "../plan/bakeoff-plan.ts";
import type { JudgePorts } from "../ports.ts";
import {
  type Examination,
  examinationFault,
  examinationOf,
  examinationSubject,
  kindWords,
  LEAST_PLANTED,
  ownFlips,
  standingExamination,
} from "./examination.ts";
import { Examiner } from "./examiner.ts";
import { type JudgingPass, judgeCall, readScores } from "./judge-call.ts";
import { foregone, inOrder, type Judge, type JudgePair, JudgeScheduler } from "./judge-scheduler.ts";
import { type JudgeVerdict, tallyOf } from "./judge-verdict.ts";
import type { JudgedRun } from "./judged-run.ts";
import type { Answered } from "./plant-pairs.ts";
import type { PlantedVerdict } from "./planted-pair.ts";
import { PlantedSupply } from "./planted-supply.ts";

/** Outputs that planted pairs are made of at most. */
const MOST_ORIGINALS = 500;

/** What the run lends to its judge. */
interface JudgingHost {
  readonly execute: (input: CallInput) => Promise<CallResult>;
  /** Resolves when there is a place among the calls in flight to the provider. */
  readonly enter: (provider: string) => Promise<void>;
  readonly leave: (provider: string) => void;
  readonly random: () => number;
  readonly waiter: BudgetWaiter;
  readonly budget: ArmBudget;
  /** The run ends before everything was asked. */
  readonly interrupt: () => void;
}

export class Judging {
  readonly #plan: BakeoffPlan;
  readonly #judge: Judge;
  readonly #ports: JudgePorts;
  readonly #host: JudgingHost;
  readonly #scheduler: JudgeScheduler;
  readonly #verdicts: JudgeVerdict[];
  readonly #planted: PlantedVerdict[];
  readonly #answered: Answered[] = [];
  /** Pairs whose outputs are there. */
  readonly #pairs: JudgePair[] = [];
  readonly #order: ReadonlyMap<string, number>;
  #subject = "";
  #examination: Examination | undefined;
  #unusable: string | undefined;

  /** `inputs` in the order in which they are sent. */
  constructor(plan: BakeoffPlan, judge: Judge, inputs: readonly ReplayInput[], ports: JudgePorts, host: JudgingHost) {
    this.#plan = plan;
    this.#judge = judge;
    this.#ports = ports;
    this.#host = host;
    this.#verdicts = [...(plan.doneVerdicts ?? [])];
    this.#planted = [...(plan.donePlanted ?? [])];
    this.#order = new Map(inputs.map(({ id }, index) => [id, index]));
    this.#scheduler = new JudgeScheduler(judge, inputs, host.random, this.#verdicts);
  }

  /** Looks for an examination that holds still. */
  async open(): Promise<void> {
    const { examinations, now } = this.#ports;
    this.#subject = await examinationSubject(this.#plan.route, this.#judge.candidate);
    const standing = examinations && (await standingExamination(examinations, this.#subject, now()));
    if (standing) this.#examined(standing);
  }

  take(input: ReplayInput, sample: Sample, output: unknown): void {
    const answered = sample.outcome === "conformant" || sample.outcome === "ungraded";
    if (answered && output !== undefined && !this.#examination && this.#answered.length < MOST_ORIGINALS)
      this.#answered.push({ input, arm: sample.arm, output });
    for (const pair of this.#scheduler.take(input, sample, output)) {
      const free = foregone(pair);
      if (free) this.#keep(free);
      else this.#pairs.push(pair);
    }
  }

  /** A sample of an earlier run; an answer whose text was not kept cannot be judged any more, and is no missing one. */
  recall(input: ReplayInput, sample: Sample): void {
    const answered = sample.outcome === "conformant" || sample.outcome === "ungraded";
    const output = answered ? this.#ports.outputOf(input.id, sample.arm) : undefined;
    if (!answered || output !== undefined) this.take(input, sample, output);
  }

  /** A pair to judge now: there is none while the judge is unexamined or unusable. */
  next(): JudgePair | undefined {
    return this.#examination && this.#unusable === undefined ? this.#pairs.shift() : undefined;
  }

  /** Examines the judge where that is still to be done, and has it judge what is left. */
  async finish(atOnce: number): Promise<void> {
    if (!this.#examination && this.#pairs.length > 0) await this.#examine(atOnce);
    const worker = async (): Promise<void> => {
      for (let pair = this.next(); pair !== undefined; pair = this.next()) {
        if (this.#host.budget.stopped()) {
          this.#pairs.unshift(pair);
          return;
        }
        await this.judge(pair);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
    if (this.#pairs.length > 0 && this.#unusable === undefined) this.#host.interrupt();
  }

  async judge(pair: JudgePair): Promise<void> {
    if (this.#host.budget.stopped()) return;
    for (const first of pair.orders) {
      if (this.#host.budget.stopped()) return;
      const { taken, last } = await this.#ask(
        this.#judge.candidate.provider,
        () => judgeCall(this.#plan.route, this.#judge.candidate, pair.input, inOrder(pair, first), this.#pass()),
        (result, earlier: AskedVerdict | undefined) => readVerdict(pair, first, result, earlier?.verdict),
      );
      if (taken || last.attempts > 0) this.#keep(last.verdict);
      if (!taken) return;
    }
  }

  end(): JudgedRun {
    const { flipped, bothOrders } = tallyOf(this.#verdicts);
    // Where every pair was of equal outputs there was nothing to ask.
    const unexamined = this.#pairs.length > 0 ? "it was not examined" : undefined;
    return {
      verdicts: this.#verdicts,
      planted: this.#planted,
      subject: this.#subject,
      examination: this.#examination,
      unusable: this.#unusable ?? (this.#examination ? ownFlips(flipped, bothOrders) : unexamined),
    };
  }

  async #examine(atOnce: number): Promise<void> {
    if (this.#host.budget.stopped()) return this.#cutShort();
    const at = (id: string): number => this.#order.get(id) ?? 0;
    const answers = [...this.#answered].sort((a, b) => at(a.input.id) - at(b.input.id) || (a.arm < b.arm ? -1 : 1));
    const supply = new PlantedSupply(answers, this.#planted);
    const lacking = supply.lacking();
    if (lacking) {
      const { kind, pairs } = lacking;
      this.#unusable = `the outputs make ${pairs} pairs of ${kindWords(kind)} to examine it on, ${LEAST_PLANTED} are needed`;
      return;
    }
    const { route, id: bakeoff } = this.#plan;
    const examiner = new Examiner(
      {
        route,
        judge: this.#judge.candidate,
        other: this.#judge.other,
        random: this.#host.random,
        pass: () => this.#pass(),
        ask: (provider, call, read) => this.#ask(provider, call, read),
        stopped: this.#host.budget.stopped,
        keep: (verdict) => {
          this.#ports.onPlanted(verdict);
          this.#planted.push(verdict);
        },
      },
      supply,
      this.#planted,
    );
    await examiner.finish(atOnce);
    if (this.#host.budget.stopped()) return this.#cutShort();
    const examination = examinationOf(this.#planted, supply.notApplicable, { bakeoff, at: this.#ports.now() });
    this.#examined(examination);
    await this.#remember(examination);
  }

  #cutShort(): void {
    this.#unusable = "its examination was cut short: its budget is spent, or the run was stopped";
    this.#host.interrupt();
  }

  #examined(examination: Examination): void {
    this.#examination = examination;
    this.#unusable = examinationFault(examination);
  }

  /** What is forgotten could be tried again until it comes out right. */
  async #remember(examination: Examination): Promise<void> {
    const { examinations } = this.#ports;
    if (!examinations) return;
    try {
      await examinations.keep(this.#subject, examination);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      this.#unusable ??= `its examination could not be kept: ${why}`;
    }
  }

  async #ask<T extends Asked>(
    provider: string,
    call: () => CallInput,
    read: (result: CallResult, earlier: T | undefined) => T,
  ): Promise<{ readonly taken: boolean; readonly last: T }> {
    const { waiter, enter, leave, execute, budget } = this.#host;
    const { end, last } = await waiter.untilTaken<T>(async (earlier) => {
      await enter(provider);
      const result = await execute(call()).finally(() => leave(provider));
      return read(result, earlier);
    }, budget);
    return { taken: end === "taken", last };
  }

  #pass(): JudgingPass {
    const { id, org } = this.#plan;
    return { id, org, claims: judgeEnvelopes(id, this.#plan, this.#ports.now()) };
  }

  #keep(verdict: JudgeVerdict): void {
    this.#ports.onVerdict(verdict);
    this.#verdicts.push(verdict);
  }
}

type AskedVerdict = Asked & { readonly verdict: JudgeVerdict };

function readVerdict(
  { input, arm, against }: JudgePair,
  first: JudgeVerdict["first"],
  result: CallResult,
  earlier: JudgeVerdict | undefined,
): AskedVerdict {
  const { scores: said, ...figures } = readScores(result);
  const scores =
    said && (first === "arm" ? { arm: said.first, against: said.second } : { arm: said.second, against: said.first });
  const base = { input: input.id, arm, against, first, by: "asked" as const };
  const verdict: JudgeVerdict = withEarlier({ ...base, ...figures, scores }, earlier);
  return { verdict, attempts: verdict.attempts, refused: refusalOf(verdict) };
}
