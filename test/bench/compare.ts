/** The gateway beside its yardsticks: same upstream, same load, in turns, so that noise of the machine hits all. */
import type { Target, Timing } from "./connection.ts";
import { median } from "./figures.ts";
import type { Until } from "./load.ts";
import { cpuMs, idle, type LoadGenerator } from "./processes.ts";
import type { Question, Stage } from "./stage.ts";

/** One of those that take turns: what it is asked, and the process whose time is counted. */
export interface Contestant {
  readonly pid: number;
  readonly target: Target;
}

export interface Rounds {
  readonly rounds: number;
  readonly connections: number;
  readonly until: Until;
}

interface Round {
  /** Answers per second. */
  readonly rate: number;
  /** Processor time per answer, in microseconds, background work included. */
  readonly cpuUs: number;
}

/** What was measured, by name of the contestant. */
export interface Comparison<Name extends string> {
  /** Median over rounds of `of` ÷ `to` in the same round. */
  ratio(figure: keyof Round, of: Name, to: Name): number;
  /** Median over rounds. */
  middle(figure: keyof Round, of: Name): number;
}

/** `MODELRIG_BENCH_ROUNDS` measures in fewer rounds than a section asks for: quicker, and rougher. */
const MOST_ROUNDS = Number(process.env["MODELRIG_BENCH_ROUNDS"] ?? Number.POSITIVE_INFINITY);

export async function compareLoad<Name extends string>(
  load: LoadGenerator,
  contestants: Readonly<Partial<Record<Name, Contestant>>>,
  plan: Rounds,
): Promise<Comparison<Name>> {
  const turns = Object.entries<Contestant | undefined>(contestants).flatMap(([name, contestant]) =>
    contestant ? [{ name, contestant, measured: [] as Round[] }] : [],
  );
  for (const { contestant } of turns) await oneRound(load, contestant, plan);
  for (let round = 0; round < Math.min(plan.rounds, MOST_ROUNDS); round += 1) {
    for (const { contestant, measured } of round % 2 === 0 ? turns : turns.toReversed()) {
      measured.push(await oneRound(load, contestant, plan));
    }
  }
  const figures = (figure: keyof Round, name: Name): number[] =>
    (turns.find((turn) => turn.name === name)?.measured ?? []).map((round) => round[figure]);
  return {
    middle: (figure, of) => median(figures(figure, of)),
    ratio(figure, of, to) {
      const below = figures(figure, to);
      return median(figures(figure, of).map((value, round) => value / (below[round] ?? Number.NaN)));
    },
  };
}

async function oneRound(load: LoadGenerator, { pid, target }: Contestant, plan: Rounds): Promise<Round> {
  await idle(pid);
  const before = cpuMs(pid);
  const { connections, until } = plan;
  const { answers, ms } = await load.run<"load">({ type: "load", target, connections, until });
  await idle(pid);
  return { rate: (answers * 1000) / ms, cpuUs: ((cpuMs(pid) - before) * 1000) / answers };
}

export interface AddedLatency {
  /** Median over rounds of gateway − direct, in milliseconds, one call at a time. */
  readonly gateway: { readonly firstByteMs: number; readonly totalMs: number };
  /** The same for the forwarding Worker: what any Worker in between costs here. */
  readonly forwarding: { readonly firstByteMs: number; readonly totalMs: number };
}

const WARM_UP = 200;

export async function addedLatency(stage: Stage, question: Question, rounds: number): Promise<AddedLatency> {
  const { direct, forwarding, gateway } = stage.targets(question);
  const targets = [direct, forwarding, gateway];
  const { timings } = await stage.load.run<"paired">({ type: "paired", targets, rounds: rounds + WARM_UP });
  const [ofDirect, ofForwarding, ofGateway] = timings.map((one) => one.slice(WARM_UP));
  return { gateway: added(ofGateway!, ofDirect!), forwarding: added(ofForwarding!, ofDirect!) };
}

function added(through: readonly Timing[], direct: readonly Timing[]): AddedLatency["gateway"] {
  const of = (figure: keyof Timing) => median(through.map((timing, index) => timing[figure] - direct[index]![figure]));
  return { firstByteMs: of("firstByteMs"), totalMs: of("totalMs") };
}
