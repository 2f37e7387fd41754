/** Examines a judge on planted pairs, before it is asked about a pair of the bake-off. */
import type { CallInput, CallResult } from "../../call/call.ts";
import type { Candidate, Route } from "../../route/route.ts";
import { refusalOf, withEarlier } from "../execution/asked-again.ts";
import { figuresOf } from "../execution/read-sample.ts";
import { type JudgingPass, judgeCall, readScores } from "./judge-call.ts";
import { isAnswered, ordersOf, type PlantedVerdict, plantedKey } from "./planted-pair.ts";
import type { PlantedSupply, PlantedTask } from "./planted-supply.ts";
import { rewordCall, rewordedOutput } from "./reword-call.ts";

interface ExaminerHost {
  readonly route: Route;
  readonly judge: Candidate;
  /** Who rewords as another model: an arm's. */
  readonly other: Candidate;
  readonly random: () => number;
  readonly pass: () => JudgingPass;
  /** Asks within the judge's budget; undefined where it has none left, or the run ends. */
  readonly ask: <T extends { readonly attempts: number; readonly refused?: string | undefined }>(
    provider: string,
    call: () => CallInput,
    read: (result: CallResult, earlier: T | undefined) => T,
  ) => Promise<{ readonly taken: boolean; readonly last: T }>;
  readonly stopped: () => boolean;
  readonly keep: (verdict: PlantedVerdict) => void;
}

interface Said {
  readonly verdict: PlantedVerdict;
  readonly attempts: number;
  readonly refused?: string | undefined;
}

export class Examiner {
  readonly #host: ExaminerHost;
  readonly #supply: PlantedSupply;
  readonly #settled: ReadonlySet<string>;

  constructor(host: ExaminerHost, supply: PlantedSupply, done: readonly PlantedVerdict[]) {
    this.#host = host;
    this.#supply = supply;
    this.#settled = new Set(done.filter(isAnswered).map((one) => orderKey(one, one.first)));
  }

  /** Asks until nothing is wanted any more, `atOnce` calls in flight. */
  async finish(atOnce: number): Promise<void> {
    await Promise.all(Array.from({ length: atOnce }, () => this.#worker()));
  }

  async #worker(): Promise<void> {
    for (let task = this.#next(); task !== undefined; task = this.#next()) await this.#examine(task);
  }

  #next(): PlantedTask | undefined {
    return this.#host.stopped() ? undefined : this.#supply.take();
  }

  async #examine(task: PlantedTask): Promise<void> {
    const reworded =
      task.kind === "own_wording" || task.kind === "other_wording" ? await this.#reword(task) : undefined;
    const planted = reworded ? reworded.planted : task.planted;
    if (planted === undefined) {
      this.#supply.wasted(task);
      return;
    }
    const drawn = this.#host.random() < 0.5 ? "original" : "planted";
    const orders = [drawn, drawn === "original" ? "planted" : "original"] as const;
    let paid = reworded?.paid;
    for (const first of orders.slice(0, ordersOf(task.kind))) {
      if (this.#host.stopped()) return;
      if (this.#settled.has(orderKey({ ...task, input: task.input.id }, first))) continue;
      const taken = await this.#judge(task, planted, first, paid);
      if (!taken) return;
      paid = undefined;
    }
  }

  /** What rewording cost is booked with the verdict that it was paid for, or by itself where none came of it. */
  async #reword(task: PlantedTask): Promise<{ readonly planted?: unknown; readonly paid?: PlantedVerdict }> {
    const { route, judge, other, pass, ask, keep } = this.#host;
    const model = task.kind === "own_wording" ? judge : other;
    let planted: unknown;
    const { taken, last } = await ask<Said>(
      model.provider,
      () => rewordCall(route, model, task.output, pass()),
      (result, earlier) => {
        if (result.type === "stream") throw new TypeError("replay calls are not streamed");
        planted = rewordedOutput(task.output, result);
        const { cost, costEstimated, attempts } = figuresOf(result.inference);
        const failure =
          result.type === "failure" ? { class: result.failure.class, reason: result.failure.reason } : undefined;
        const base = { ...namesOf(task), first: "original", notReworded: true } as const;
        const verdict = withEarlier({ ...base, failure, cost, costEstimated, attempts }, earlier?.verdict);
        return { verdict, attempts: verdict.attempts, refused: refusalOf(verdict) };
      },
    );
    if (taken && planted !== undefined) return { planted, paid: last.verdict };
    if (last.attempts > 0) keep(last.verdict);
    return {};
  }

  async #judge(
    task: PlantedTask,
    planted: unknown,
    first: PlantedVerdict["first"],
    paid: PlantedVerdict | undefined,
  ): Promise<boolean> {
    const { route, judge, pass, ask, keep } = this.#host;
    const outputs =
      first === "original" ? { first: task.output, second: planted } : { first: planted, second: task.output };
    const { taken, last } = await ask<Said>(
      judge.provider,
      () => judgeCall(route, judge, task.input, outputs, pass()),
      (result, earlier) => {
        const { scores, ...figures } = readScores(result);
        const said = scores && {
          original: first === "original" ? scores.first : scores.second,
          planted: first === "original" ? scores.second : scores.first,
        };
        const verdict = withEarlier({ ...namesOf(task), first, ...figures, scores: said }, earlier?.verdict ?? paid);
        return { verdict, attempts: verdict.attempts, refused: refusalOf(verdict) };
      },
    );
    if (taken || last.attempts > 0) keep(last.verdict);
    return taken;
  }
}

function namesOf({ kind, input, arm }: PlantedTask): Pick<PlantedVerdict, "kind" | "input" | "arm"> {
  return { kind, input: input.id, arm };
}

function orderKey(verdict: Pick<PlantedVerdict, "kind" | "input" | "arm">, first: PlantedVerdict["first"]): string {
  return `${plantedKey(verdict)} ${first}`;
}
