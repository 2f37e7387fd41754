/**
 * The balanced gate: the arm with the lowest score = regret + λ·cost, among those that clear every bound of the
 * quality-first gate. Cost is effective cost ÷ the incumbent's, so that the incumbent itself scores its regret + λ, and
 * an arm must score below that.
 */
import { type Contest, costOf, type GateFigures } from "./contest.ts";
import type { ArmVerdict, GateClause } from "./gate-report.ts";
import { meanRegret, qualityFirstClauses } from "./quality-first-gate.ts";

export function balancedClauses(contest: Contest): GateClause[] {
  return [...qualityFirstClauses(contest), scoreClause(contest)];
}

export function lowestScore(cleared: readonly ArmVerdict[], figures: GateFigures): string | undefined {
  const score = ({ arm }: ArmVerdict): number => scoreOf(arm, figures) ?? Number.POSITIVE_INFINITY;
  return [...cleared].sort((a, b) => score(a) - score(b) || (a.arm < b.arm ? -1 : 1))[0]?.arm;
}

function scoreClause({ challenger, incumbent, figures }: Contest): GateClause {
  const [mine, theirs] = [scoreOf(challenger.arm, figures), scoreOf(incumbent.arm, figures)];
  if (mine === undefined || theirs === undefined) {
    const reason = "no score: it needs the regret and the effective cost of the arm and of the incumbent";
    return { clause: "score", met: false, challenger: mine, incumbent: theirs, reason };
  }
  const met = mine < theirs;
  const reason = `score ${mine.toFixed(4)} ${met ? "is below" : "is not below"} the incumbent's ${theirs.toFixed(4)}`;
  return { clause: "score", met, challenger: mine, incumbent: theirs, reason };
}

function scoreOf(name: string, figures: GateFigures): number | undefined {
  const find = (wanted: (arm: GateFigures["arms"][number]) => boolean): number | undefined => {
    const arm = figures.arms.find(wanted);
    return arm && costOf(arm, figures);
  };
  const regret = meanRegret(name, figures);
  const [own, base] = [find(({ arm }) => arm === name), find(({ role }) => role === "incumbent")];
  if (regret === undefined || own === undefined || base === undefined || base === 0) return undefined;
  return regret + (figures.objective.lambda ?? 0) * (own / base);
}
