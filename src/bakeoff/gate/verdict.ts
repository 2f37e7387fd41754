import type { RegretEstimate } from "../analysis/regret-report.ts";
import type { Verdict } from "./gate-report.ts";

/** What people read. */
export const VERDICT_WORDS = {
  better: "BETTER",
  worse: "WORSE",
  equivalent: "EQUIVALENT",
  continue: "UNDECIDED",
  inconclusive: "INCONCLUSIVE",
} as const satisfies Record<Verdict, string>;

/**
 * The verdict on an arm, from the two bounds of its regret and the limit, and from nothing else. Where they leave it
 * open more pairs may decide it (`continue`), unless the bake-off was stopped (`inconclusive`). Evidence of several
 * looks that excludes both sides contradicts itself: the arms have changed meanwhile, and nothing follows.
 */
export function verdictOf(
  { low, high }: Pick<RegretEstimate, "low" | "high">,
  epsilon: number,
  stopped: boolean,
): Verdict {
  if (low > high) return "inconclusive";
  if (high < 0) return "better";
  if (high <= epsilon) return "equivalent";
  if (low >= epsilon) return "worse";
  return stopped ? "inconclusive" : "continue";
}
