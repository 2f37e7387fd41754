/** Runs of a world through a gate, and how often each proposes what is forbidden. */
import { seededRandom } from "../../../../src/stats/random.ts";
import type { SimulatedLook } from "./simulated-look.ts";
import type { Random, World } from "./worlds.ts";

export interface WorldCount {
  readonly runs: number;
  /** Runs in which a forbidden arm was proposed at any look, and in which an allowed one was. */
  readonly forbidden: number;
  readonly allowed: number;
}

/** The name of the arm that a look proposes. A new one is made for each run: it remembers the looks before. */
export type Proposer = (look: SimulatedLook) => Promise<string | undefined>;

export async function runWorld(
  { run }: World,
  proposer: () => Proposer,
  { runs, seed }: { readonly runs: number; readonly seed: number },
): Promise<WorldCount> {
  let [forbidden, allowed] = [0, 0];
  for (let index = 0; index < runs; index++) {
    const found = await proposalsOf(run(randomOf(seed, index)), proposer());
    if (found.forbidden) forbidden += 1;
    if (found.allowed) allowed += 1;
  }
  return { runs, forbidden, allowed };
}

async function proposalsOf(looks: Iterable<SimulatedLook>, propose: Proposer) {
  const found = { forbidden: false, allowed: false };
  for (const look of looks) {
    const name = await propose(look);
    const arm = look.arms.find((one) => one.name === name);
    if (arm?.isForbidden) return { ...found, forbidden: true };
    if (arm) found.allowed = true;
  }
  return found;
}

/** Neighbouring seeds begin alike: they are spread, and the first numbers are left out. */
function randomOf(seed: number, run: number): Random {
  const random = seededRandom(Math.imul(1_000_003 * seed + run + 1, 0x9e3779b1));
  for (let skipped = 0; skipped < 16; skipped++) random();
  return random;
}
