import { familyLevel, laterLookLevel } from "../../stats/alpha-spending.ts";
import type { RegretReport } from "../analysis/regret-report.ts";

/** One-sided level of an arm that no evidence is kept of. */
const PLAIN_LEVEL = 0.025;

/**
 * One-sided level of the bounds of an arm's cost ratio: that of its family, divided among its arms and, since a cost
 * interval is not valid at every look by itself, among its later looks.
 */
export function costLevel(arm: string, regrets: readonly RegretReport[]): number {
  const levels = regrets
    .filter((regret) => regret.arm === arm)
    .flatMap(({ evidence }) => {
      if (!evidence) return [];
      const level = familyLevel(evidence.family) / evidence.family_arms;
      return evidence.look === "first" ? level : laterLookLevel(level, Math.max(1, evidence.number - 1));
    });
  return levels.length === 0 ? PLAIN_LEVEL : Math.min(...levels);
}
