import type { RegretReport } from "../analysis/regret-report.ts";
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
 * The verdict on an arm, from the two bounds of its regret, the limit, and whether the newest looks agree with the older
 * ones. Where they leave it open more items may decide it (`continue`), unless the bake-off was stopped (`inconclusive`).
 * Undefined where nothing is estimated.
 */
export function verdictOf({ estimate, evidence, limit = 0 }: RegretReport, stopped: boolean): Verdict | undefined {
  if (!estimate) return undefined;
  const { low, high } = estimate;
  const open = stopped ? "inconclusive" : "continue";
  if (low >= limit && low > 0) return "worse";
  if (evidence?.agreement.status === "open") return open;
  if (high < 0) return "better";
  return high <= limit ? "equivalent" : open;
}
