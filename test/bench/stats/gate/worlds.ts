/**
 * Worlds in which every arm is as bad as the route forbids, or an arm becomes so: each says what people do between looks
 * that used to give an arm more chances than one. Uses nothing of the product, so that every version of the gate can be
 * held against the same looks.
 */
import type { SimulatedArm, SimulatedInput, SimulatedLook } from "./simulated-look.ts";

export type Random = () => number;

export interface World {
  readonly name: string;
  /** What is the case in it, for the table. */
  readonly says: string;
  /** One run: the looks that one route takes, oldest first. */
  readonly run: (random: Random) => Iterable<SimulatedLook>;
}

const LOOKS = 20;
const LIMIT = 0.1;
/** Of one look: enough for a first look to pass with a loss or two. */
const PAIRS = 90;

const CHEAP = 2_000_000;
const DEAR = 10_000_000;

const range = (n: number): number[] => Array.from({ length: n }, (_, i) => i);
const repeat = (value: number, n: number): number[] => range(n).map(() => value);

export function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Scores of the incumbent and of an arm on one input, pass or fail. */
function passFail(random: Random, loss: number, win: number): readonly [number, number] {
  const u = random();
  return u < loss ? [1, 0] : u < loss + win ? [0, 1] : [1, 1];
}

/** Scores of the incumbent, and of one arm that loses and wins on an input with these chances. */
function outcomes(random: Random, chances: readonly { readonly loss: number; readonly win: number }[]) {
  const scores = chances.map(({ loss, win }) => passFail(random, loss, win));
  return { incumbent: scores.map(([one]) => one), arm: scores.map(([, other]) => other) };
}

const newQuestions = (look: number, n = PAIRS): SimulatedInput[] =>
  range(n).map((i) => ({ question: `l${look}q${i}`, weight: 1 }));

interface Looked extends Partial<SimulatedLook> {
  readonly look: number;
  readonly arm?: Partial<SimulatedArm>;
  readonly inputs: readonly SimulatedInput[];
  readonly chances: readonly { readonly loss: number; readonly win: number }[];
}

/** A quality-first look at one arm that costs a fifth. */
function lookAt(random: Random, { look, arm, inputs, chances, ...rest }: Looked): SimulatedLook {
  const scores = outcomes(random, chances);
  const n = inputs.length;
  return {
    ...{ bakeoff: `bo_${look}`, day: look, mode: "quality-first", limit: LIMIT, inputs },
    incumbent: { scores: scores.incumbent, costs: repeat(DEAR, n) },
    arms: [{ name: "cheap", serves: 1, isForbidden: true, scores: scores.arm, costs: repeat(CHEAP, n), ...arm }],
    ...rest,
  };
}

/** Chances of every input alike: a regret of exactly `regret`. */
const alike = (n: number, regret: number, win = 0.01) => range(n).map(() => ({ loss: regret + win, win }));

function* looked(of: (look: number) => SimulatedLook): Iterable<SimulatedLook> {
  for (const look of range(LOOKS)) yield of(look);
}

/** Looks with new questions at a regret of exactly the limit; `change` says what else is new. */
function newEachTime(change: (look: number) => Partial<Looked> = () => ({}), regret = LIMIT) {
  return (random: Random) =>
    looked((look) =>
      lookAt(random, { look, inputs: newQuestions(look), chances: alike(PAIRS, regret), ...change(look) }),
    );
}

/** Each question fails every second time or never: which questions are in the set is chance too. */
function sameQuestions(random: Random): Iterable<SimulatedLook> {
  const chances = range(PAIRS).map(() => ({ loss: random() < 2 * LIMIT ? 0.5 : 0, win: 0 }));
  return looked((look) => lookAt(random, { look, inputs: newQuestions(0), chances }));
}

const CUSTOMERS = 30;

/** A customer's questions fail or pass together with correlation 0.3; every look asks five new ones of each. */
function customers(limit: number) {
  return (random: Random): Iterable<SimulatedLook> => {
    const fails = range(CUSTOMERS).map(() => random() < limit);
    return looked((look) => {
      const inputs = range(5 * CUSTOMERS).map((i): SimulatedInput => {
        return { question: `l${look}q${i}`, weight: 1, customer: `c${i % CUSTOMERS}` };
      });
      const chances = inputs.map((_, i) => {
        const shared = random() < Math.sqrt(0.3);
        return { loss: shared ? (fails[i % CUSTOMERS] ? 1 : 0) : limit, win: 0 };
      });
      return lookAt(random, { look, inputs, chances, limit });
    });
  };
}

/** Every day two bake-offs at once, each with an arm of its own beside a common one, on questions that they share by half. */
function* interleaved(random: Random): Iterable<SimulatedLook> {
  for (const day of range(LOOKS / 2)) {
    for (const side of [0, 1]) {
      const look = 2 * day + side;
      const inputs = range(PAIRS).map((i): SimulatedInput => {
        return { question: i % 2 === 0 ? `d${day}q${i}` : `d${day}s${side}q${i}`, weight: 1 };
      });
      // Without wins the incumbent passes everything, and is one and the same beside both arms.
      const one = lookAt(random, { look, day, inputs, chances: alike(PAIRS, LIMIT, 0) });
      const costs = repeat(CHEAP, PAIRS);
      const own = { name: `own${side}`, serves: 2 + side, isForbidden: true, costs };
      const scores = outcomes(random, alike(PAIRS, LIMIT, 0)).arm;
      yield { ...one, isConcurrent: side === 1, arms: [...one.arms, { ...own, scores }] };
    }
  }
}

/** One question has `share` of the traffic and carries the whole regret; a look asks it `times` times. */
function heavyQuestion(share: number, times: number) {
  return (random: Random): Iterable<SimulatedLook> =>
    looked((look) => {
      const weight = (share * PAIRS) / (1 - share);
      const heavy = range(times).map((): SimulatedInput => ({ question: "heavy", weight }));
      const inputs = [...newQuestions(look), ...heavy];
      const chances = [...alike(PAIRS, 0, 0), ...alike(times, Math.min(1, LIMIT / share), 0)];
      return lookAt(random, { look, inputs, chances });
    });
}

/** Weights fall like 1/rank from 20 to 1, and the chance of a loss with them; of the traffic it is exactly the limit. */
function unevenWeights(random: Random): Iterable<SimulatedLook> {
  const weights = range(PAIRS).map((rank) => Math.ceil(20 / (1 + rank / 5)));
  const sum = (of: (weight: number) => number): number => weights.reduce((total, weight) => total + of(weight), 0);
  const scale = (LIMIT * sum((weight) => weight)) / sum((weight) => weight * Math.sqrt(weight));
  return looked((look) => {
    const inputs = newQuestions(look).map((input, rank) => ({ ...input, weight: weights[rank] ?? 1 }));
    const chances = weights.map((weight) => ({ loss: scale * Math.sqrt(weight), win: 0 }));
    return lookAt(random, { look, inputs, chances });
  });
}

/** As good as what serves for four looks, then worse by `drop`. */
function degrades(drop: number, n = PAIRS) {
  return (random: Random): Iterable<SimulatedLook> =>
    looked((look) => {
      const isForbidden = look >= 4;
      const chances = alike(n, isForbidden ? drop : 0, 0.01);
      return lookAt(random, { look, arm: { isForbidden }, inputs: newQuestions(look, n), chances });
    });
}

/** Costs with a factor that an input gives both arms (lognormal, σ 1) and one of each call's own (σ 0.4). */
function costPairs(random: Random, n: number, ratio: number): { incumbent: number[]; arm: number[] } {
  const shared = range(n).map(() => Math.exp(normal(random)));
  const cost = (of: number): number[] =>
    shared.map((factor) => Math.round(of * DEAR * factor * Math.exp(0.4 * normal(random))));
  return { incumbent: cost(1), arm: cost(ratio) };
}

function costFirst(
  of: (random: Random) => {
    readonly ratio: number;
    readonly drop: number;
    readonly limit?: number;
    readonly isForbidden?: boolean;
  },
) {
  return (random: Random): Iterable<SimulatedLook> => {
    const { ratio, drop, limit = LIMIT, isForbidden = true } = of(random);
    return looked((look) => {
      const costs = costPairs(random, PAIRS, ratio);
      const scores = outcomes(random, alike(PAIRS, drop, drop > 0 ? 0.01 : 0));
      return {
        ...{ bakeoff: `bo_${look}`, day: look, mode: "cost-first", limit, inputs: newQuestions(look) },
        incumbent: { scores: scores.incumbent, costs: costs.incumbent },
        arms: [{ name: "cheap", serves: 1, isForbidden, scores: scores.arm, costs: costs.arm }],
      };
    });
  };
}

export const WORLDS: readonly World[] = [
  { name: "20 looks", says: "90 new questions each, a regret of exactly the limit (10 points)", run: newEachTime() },
  { name: "20 looks on the same questions", says: "the same 90 questions again and again", run: sameQuestions },
  {
    name: "renamed",
    says: "each look calls the arm otherwise and adds blanks to its template",
    run: newEachTime((look) => ({ arm: { name: `cheap${look}`, blanks: look } })),
  },
  {
    name: "limit nudged",
    says: "each look asks for a limit larger by 0.0001",
    run: newEachTime((look) => ({ limit: LIMIT + look * 1e-4 }), LIMIT + (LOOKS - 1) * 1e-4),
  },
  {
    name: "one new arm a bake-off",
    says: "20 arms, each as bad as forbidden",
    run: newEachTime((look) => ({ arm: { name: `arm${look}`, serves: look } })),
  },
  {
    name: "lost evidence, with a gateway",
    says: "each look runs on a new machine",
    run: newEachTime(() => ({ onNewMachine: true })),
  },
  {
    name: "30 customers",
    says: "the same 30 customers every day, questions of one fail together",
    run: customers(LIMIT),
  },
  { name: "30 customers, wide limit", says: "the same, with a limit of 25 points", run: customers(0.25) },
  { name: "interleaved", says: "two bake-offs at once, half of their questions shared", run: interleaved },
  { name: "a heavy question", says: "40% of the traffic, carries the whole regret", run: heavyQuestion(0.4, 20) },
  {
    name: "a broken heavy question",
    says: "10% of the traffic, broken whenever it is asked",
    run: heavyQuestion(LIMIT, 1),
  },
  {
    name: "often asked is often broken",
    says: "questions asked up to 20 times as often; those asked more fail more",
    run: unevenWeights,
  },
  { name: "degrade after proof", says: "as good for four looks, then 30 points worse", run: degrades(0.3) },
  { name: "degrade a little after proof", says: "then 20 points worse", run: degrades(2 * LIMIT) },
  {
    name: "cost ratio 1.00–1.02",
    says: "cost-first, no loss, a cost factor that both arms share",
    run: costFirst((random) => ({ ratio: 1 + 0.02 * random(), drop: 0 })),
  },
  {
    name: "cost-first at its margin",
    says: "conformance lower by exactly the drop that is allowed (2 points), a third of the cost",
    run: costFirst(() => ({ ratio: 0.33, drop: 0.02, limit: 0.02 })),
  },
  {
    name: "control: as good as what serves",
    says: "no regret, wins and losses of 1% each, a fifth of the cost",
    run: newEachTime(() => ({ arm: { isForbidden: false } }), 0),
  },
  {
    name: "control: cost-first, cheaper by half",
    says: "no loss, half of the cost",
    run: costFirst(() => ({ ratio: 0.5, drop: 0, isForbidden: false })),
  },
];
