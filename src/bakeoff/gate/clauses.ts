/** The clauses that gates are made of: each with its figures and its reason in words. */

import { dollars } from "../../money/dollars.ts";
import { LARGEST_SHARE, LEAST_CLUSTERS } from "../../stats/clustered.ts";
import { percent, points } from "../../stats/rate-text.ts";
import type { ArmReport } from "../analysis/arm-report.ts";
import { MIN_PAIRS } from "../analysis/regret-bounds.ts";
import { type Contest, costOf, costPerInput, costUnit } from "./contest.ts";
import type { GateClause } from "./gate-report.ts";

/** Of all arms, also those that are not judged here: the one that was cut short might have been the better choice. */
export function completeClause(arms: readonly ArmReport[]): GateClause {
  const unfinished = arms.find(({ complete }) => !complete);
  const reason = unfinished
    ? `${unfinished.arm} is partial (${unfinished.stopped ?? "stopped"}); a partial result cannot propose`
    : "every arm was sent every input";
  return { clause: "complete", met: !unfinished, reason };
}

export function pairsClause(n: number, of: string): GateClause {
  return { clause: "pairs", met: n >= MIN_PAIRS, challenger: n, reason: `${n} ${of}, ${MIN_PAIRS} needed` };
}

export function pricedClause({ challenger, incumbent }: Contest): GateClause {
  const unpriced = [challenger, incumbent].filter((arm) => arm.cost_unknown > 0 || arm.stopped === "unpriced");
  const reason =
    unpriced.length === 0
      ? "every call of both arms has a known cost"
      : unpriced
          .map(({ arm, cost_unknown: n }) => `${arm}: ${n > 0 ? `cost of ${n} calls unknown` : "no price"}`)
          .join("; ");
  return { clause: "priced", met: unpriced.length === 0, reason };
}

export function effectiveCostClause({ challenger, incumbent, figures }: Contest): GateClause {
  const mine = costOf(challenger, figures);
  const theirs = costOf(incumbent, figures);
  const what = costUnit(figures);
  if (mine === undefined || theirs === undefined) {
    const reason = [challenger, incumbent]
      .filter((arm) => costOf(arm, figures) === undefined)
      .map(({ arm, effective_note: note, effective }) =>
        effective ? `${arm}: nothing passed the quality gate` : `${arm}: ${note ?? "no effective cost"}`,
      )
      .join("; ");
    return { clause: "effective_cost", met: false, challenger: mine, incumbent: theirs, reason };
  }
  const met = mine < theirs;
  const reason = `${dollars(mine)} per 1K ${what} ${met ? "is below" : "is not below"} the incumbent's ${dollars(theirs)}`;
  return { clause: "effective_cost", met, challenger: mine, incumbent: theirs, reason };
}

/** Passing outputs, as conformance is compared: lower bounds of Wilson 95% on the same inputs. */
export function qualityClauses({ challenger, incumbent, figures }: Contest): GateClause[] {
  if (!figures.objective.quality_gate) return [];
  return [boundClause("quality", challenger.passing?.low, incumbent.passing?.low)];
}

export function boundClause(
  clause: "conformance" | "quality",
  mine: number | undefined,
  theirs: number | undefined,
): GateClause {
  if (mine === undefined || theirs === undefined) {
    return { clause, met: false, challenger: mine, incumbent: theirs, reason: "not measured" };
  }
  const met = mine >= theirs;
  const reason = `lower bound ${percent(mine)}% ${met ? "is not below" : "is below"} the incumbent's ${percent(theirs)}%`;
  return { clause, met, challenger: mine, incumbent: theirs, reason };
}

/** Clusters too few or too uneven: no interval that was tested holds its confidence. */
export function clustersClause({ regret }: Contest): GateClause {
  const clustering = regret?.pairs?.clustering;
  if (!clustering) return { clause: "clusters", met: true, reason: "no two inputs are known to belong together" };
  const { clusters, largest_share: share } = clustering;
  const met = clusters >= LEAST_CLUSTERS && share <= LARGEST_SHARE;
  const reason = `${clusters} runs or customers, ${LEAST_CLUSTERS} needed; the largest has ${percent(share)}% of the pairs, at most ${percent(LARGEST_SHARE)}%`;
  return { clause: "clusters", met, challenger: clusters, limit: LEAST_CLUSTERS, reason };
}

export function regretClause({ regret, figures: { objective } }: Contest): GateClause {
  const limit = objective.max_regret;
  const estimate = regret?.estimate;
  if (!estimate) return { clause: "regret", met: false, limit, reason: "regret is not measured" };
  const { low, high } = estimate;
  const figures = { clause: "regret", challenger: high, limit } as const;
  if (low > high) {
    return { ...figures, met: false, reason: "looks contradict each other: the arms have changed between them" };
  }
  if (limit === undefined) {
    return { ...figures, met: true, reason: "no max_regret is declared: the arm must be better than the incumbent" };
  }
  const met = high <= limit;
  const reason = `upper bound ${points(high)} pts ${met ? "is within" : "is beyond"} max_regret ${points(limit)} pts`;
  return { ...figures, met, reason };
}

export function ceilingClause({ challenger, figures }: Contest): GateClause {
  const { usd_per_1k: per1k, usd_per_run: perRun } = figures.objective;
  const limit = per1k ?? perRun;
  if (limit === undefined) return { clause: "price_ceiling", met: true, reason: "no price ceiling is declared" };
  const cost = per1k === undefined ? costPerInput(challenger) : costOf(challenger, figures);
  if (cost === undefined) {
    const reason = challenger.effective_note ?? "no effective cost";
    return { clause: "price_ceiling", met: false, limit, reason };
  }
  const met = cost <= limit;
  const unit = per1k === undefined ? "per input" : `per 1K ${costUnit(figures)}`;
  const reason = `${dollars(cost)} ${unit} ${met ? "is within" : "is beyond"} the ceiling of ${dollars(limit)}`;
  return { clause: "price_ceiling", met, challenger: cost, limit, reason };
}

/**
 * Better than the incumbent: on regret, where a regret against it of 0 or more is excluded; or on cost, but only under
 * a declared max_regret, for without one nothing bounds how much worse a cheaper arm may be.
 */
export function improvementClause(contest: Contest): GateClause {
  const { challenger, incumbent, againstIncumbent, figures } = contest;
  const estimate = againstIncumbent?.estimate;
  if (estimate && estimate.low <= estimate.high && estimate.high <= 0) {
    const reason = `regret against the incumbent is at most ${points(estimate.high)} pts`;
    return { clause: "improvement", met: true, challenger: estimate.high, limit: 0, reason };
  }
  const [mine, theirs] = [costOf(challenger, figures), costOf(incumbent, figures)];
  const cheaper = mine !== undefined && theirs !== undefined && mine < theirs;
  const bounded = figures.objective.max_regret !== undefined;
  const open = "not shown to be better than the incumbent on regret";
  const reason = !cheaper
    ? `${open}, and not cheaper`
    : bounded
      ? `${dollars(mine)} per 1K ${costUnit(figures)} is below the incumbent's ${dollars(theirs)}`
      : `${open}; it is cheaper, but no max_regret bounds what that may cost in quality`;
  return { clause: "improvement", met: cheaper && bounded, challenger: mine, incumbent: theirs, reason };
}
