/** How often a gate passes a candidate that is exactly as bad as forbidden, when it is looked at again and again. */
import { Bets, logWealth } from "../../../src/stats/betting-bound.ts";
import { binaryRegret } from "../../../src/stats/paired-regret.ts";
import { tQuantile } from "../../../src/stats/student-t.ts";
import { tango } from "../../../src/stats/tango.ts";
import { pairedT } from "../../support/bakeoff/interval-rivals.ts";
import { passFail, type Random } from "./draws.ts";

export interface Looking {
  /** The margin, and the true regret. */
  readonly epsilon: number;
  /** Share of wins; losses are more by `epsilon`. */
  readonly win: number;
  readonly looks: number;
  readonly pairsPerLook: number;
  readonly reps: number;
}

/** Share of runs in which a gate passed at any look. One-sided level 0.025 each. */
export interface FalseProposals {
  /** Fixed-n intervals, each reused as if its look were the only one. */
  readonly t: number;
  readonly tango: number;
  readonly betting: number;
  /** The product's: its fixed-n bound at half the level on the first look, bets at the other half after. */
  readonly gate: number;
}

const ALPHA = 0.025;
const Z = 1.959963984540054;

export function falseProposals(looking: Looking, random: Random): FalseProposals {
  const { epsilon, win, looks, pairsPerLook, reps } = looking;
  const source = passFail(epsilon + win, win);
  const quantiles = Array.from({ length: looks }, (_, i) => tQuantile(1 - ALPHA, (i + 1) * pairsPerLook - 1));
  const passed = { t: 0, tango: 0, betting: 0, gate: 0 };
  for (let rep = 0; rep < reps; rep++) {
    const seen = { t: false, tango: false, betting: false, gate: false };
    const items = new Map<number, number>();
    const table = { losses: 0, wins: 0, n: 0 };
    for (let look = 0; look < looks; look++) {
      for (let pair = 0; pair < pairsPerLook; pair++) {
        const d = source.draw(random);
        items.set(d, (items.get(d) ?? 0) + 1);
        table.n++;
        if (d > 0) table.losses++;
        else if (d < 0) table.wins++;
      }
      seen.t ||= pairedT(table.losses, table.wins, table.n, quantiles[look]).high <= epsilon;
      seen.tango ||= tango(table, Z).high <= epsilon;
      seen.gate ||=
        look === 0 ? (binaryRegret(table, 1 - ALPHA)?.high ?? 1) <= epsilon : ruledOut(items, epsilon, ALPHA / 2);
      seen.betting ||= ruledOut(items, epsilon, ALPHA);
    }
    for (const gate of ["t", "tango", "betting", "gate"] as const) if (seen[gate]) passed[gate]++;
  }
  return {
    t: passed.t / reps,
    tango: passed.tango / reps,
    betting: passed.betting / reps,
    gate: passed.gate / reps,
  };
}

function ruledOut(items: ReadonlyMap<number, number>, margin: number, level: number): boolean {
  return logWealth(items, margin) >= Math.log(1 / level);
}

/** At true regret 0: pairs after which each run of bets passes, looked at every pair. Infinity = not within `most`. */
export function pairsToPass(
  world: {
    readonly epsilon: number;
    readonly discordance: number;
    /** One-sided. */
    readonly level: number;
    readonly reps: number;
    readonly most: number;
  },
  random: Random,
): number[] {
  const source = passFail(world.discordance / 2, world.discordance / 2);
  const needed: number[] = [];
  const [bets, enough] = [new Bets(world.epsilon), Math.log(1 / world.level)];
  for (let rep = 0; rep < world.reps; rep++) {
    const items = new Map<number, number>();
    let pairs = 0;
    let passes = false;
    while (pairs < world.most && !passes) {
      const d = source.draw(random);
      items.set(d, (items.get(d) ?? 0) + 1);
      pairs++;
      passes = bets.logWealth(items) >= enough;
    }
    needed.push(passes ? pairs : Number.POSITIVE_INFINITY);
  }
  return needed.sort((a, b) => a - b);
}
