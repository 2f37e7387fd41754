/** The gateway beside its yardsticks: same upstream, same load, in turns, so that noise of the machine hits all. */
import type { Target, Timing } from "./connection.ts";
import { median } from "./figures.ts";
import type { Until } from "./load.ts";
import { cpuMs, idle } from "./processes.ts";
import { type Hosted, type Question, SIDES, type Side, type Stage } from "./stage.ts";

type Yardstick = Exclude<Side, "gateway">;

export interface Comparison {
  /** Median over rounds of gateway ÷ yardstick, in answers per second. */
  readonly rateRatio: Readonly<Record<Yardstick, number>>;
  /** The same in processor time per answer. */
  readonly cpuRatio: Readonly<Record<Yardstick, number>>;
  /** Median answers per second. */
  readonly rate: Readonly<Record<Side, number>>;
  /** Processor time of workerd per answer, in microseconds, background work included. Median over rounds. */
  readonly cpuUs: Readonly<Record<Side, number>>;
}

export interface Rounds {
  readonly rounds: number;
  readonly connections: number;
  readonly until: Until;
}

export async function compareLoad(stage: Stage, question: Question, plan: Rounds): Promise<Comparison> {
  const targets = stage.targets(question);
  const measured: Record<Side, Round[]> = { forwarding: [], least: [], relabel: [], gateway: [] };
  for (const side of SIDES) await oneRound(stage, stage.hosts[side], targets[side], plan);
  for (let round = 0; round < plan.rounds; round += 1) {
    for (const side of round % 2 === 0 ? SIDES : SIDES.toReversed()) {
      measured[side].push(await oneRound(stage, stage.hosts[side], targets[side], plan));
    }
  }
  const each = (figure: (side: Side) => number): Record<Side, number> => ({
    ...{ forwarding: figure("forwarding"), least: figure("least") },
    ...{ relabel: figure("relabel"), gateway: figure("gateway") },
  });
  const middle = (figure: keyof Round) => each((side) => median(measured[side].map((round) => round[figure])));
  const ratio = (figure: keyof Round) =>
    each((side) => median(measured.gateway.map((round, index) => round[figure] / measured[side][index]![figure])));
  return { rateRatio: ratio("rate"), cpuRatio: ratio("cpuUs"), rate: middle("rate"), cpuUs: middle("cpuUs") };
}

interface Round {
  readonly rate: number;
  readonly cpuUs: number;
}

async function oneRound(stage: Stage, host: Hosted, target: Target, plan: Rounds): Promise<Round> {
  await idle(host.pid);
  const before = cpuMs(host.pid);
  const { connections, until } = plan;
  const { answers, ms } = await stage.load.run<"load">({ type: "load", target, connections, until });
  await idle(host.pid);
  return { rate: (answers * 1000) / ms, cpuUs: ((cpuMs(host.pid) - before) * 1000) / answers };
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
