/** The clauses that gates are made of: each with its figures and its reason in words. */

import { dollars } from "../../money/dollars.ts";
import { LARGEST_SHARE, LEAST_CLUSTERS } from "../../stats/clustered.ts";
import { distinctPercents, percent, points } from "../../stats/rate-text.ts";
import type { ArmReport, PairReport } from "../analysis/arm-report.ts";
import type { RegretReport } from "../analysis/regret-report.ts";
import { MIN_PAIRS } from "../evidence/decide-regrets.ts";
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

/** Cheaper for certain: the upper bound of the paired ratio is below 1, not only the figure. */
export function effectiveCostClause({ challenger, incumbent, pair, figures }: Contest): GateClause {
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
  const ratio = decidingRatio(pair, figures);
  const beside = `${dollars(mine)} per 1K ${what} against the incumbent's ${dollars(theirs)}`;
  if (ratio?.high === undefined) {
    const reason = `${beside}: too few samples for an interval of the ratio`;
    return { clause: "effective_cost", met: false, challenger: mine, incumbent: theirs, reason };
  }
  const met = ratio.high < 1;
  const caches = ratio.caches === "uncached" ? " without caches, the less favourable basis," : "";
  const reason = `${beside}: the ratio's upper bound ${ratio.high.toPrecision(4)}${caches} ${met ? "is below" : "is not below"} 1`;
  return { clause: "effective_cost", met, challenger: mine, incumbent: theirs, reason };
}

/** The ratio that the gate goes by: of the cost per output that passes the quality gate, where there is one. */
function decidingRatio(pair: Contest["pair"], { objective }: Contest["figures"]): PairReport["cost_ratio"] {
  return objective.quality_gate ? pair?.cost_ratio_passing : pair?.cost_ratio;
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
  const [own, other] = distinctPercents(mine, theirs);
  const reason = `lower bound ${own}% ${met ? "is not below" : "is below"} the incumbent's ${other}%`;
  return { clause, met, challenger: mine, incumbent: theirs, reason };
}

/** Whether the inputs were drawn by a rule that was fixed before anything was seen, and that favours no outcome. */
export function samplingClause({ sampling }: Contest["figures"]): GateClause {
  const met = sampling.representative;
  const reason = met
    ? `inputs: ${sampling.text}`
    : `inputs: ${sampling.text}; such a selection finds faults, and says nothing about the traffic`;
  return { clause: "sampling", met, reason };
}

/** No verdict on quality follows from a judge that is wrong about pairs with a known answer. */
export function judgeClause({ metric, judge }: Contest["figures"]): GateClause[] {
  if (metric !== "judge") return [];
  const because = judge?.unusable_because;
  const reason = because === undefined ? "the judge passed its examination" : `the judge is unusable: ${because}`;
  return [{ clause: "judge", met: because === undefined, reason }];
}

/** Evidence that is forgotten would give every later bake-off a first look again. */
export function evidenceClause({ evidence_store: { kept, note } }: Contest["figures"]): GateClause {
  const reason = kept
    ? "the evidence is kept"
    : `the evidence could not be kept, and such evidence cannot propose: ${note ?? "the store refused it"}`;
  return { clause: "evidence", met: kept, reason };
}

/** Clusters too few or too uneven: no interval that was tested holds its confidence. */
export function clustersClause(regrets: readonly (RegretReport | undefined)[]): GateClause {
  const all = regrets.flatMap((regret) => regret?.evidence ?? []);
  if (all.length === 0) return { clause: "clusters", met: false, reason: "nothing was paired" };
  const clusters = Math.min(...all.map((evidence) => evidence.clusters));
  const share = Math.max(...all.map((evidence) => evidence.largest_share));
  const met = clusters >= LEAST_CLUSTERS && share <= LARGEST_SHARE;
  const reason = `${clusters} customers, runs or lone questions, ${LEAST_CLUSTERS} needed; the largest has ${percent(share)}% of the traffic, at most ${percent(LARGEST_SHARE)}%`;
  return { clause: "clusters", met, challenger: clusters, limit: LEAST_CLUSTERS, reason };
}

/** Evidence is about now: where the newest looks say something else than the older ones, nothing follows yet. */
export function agreementClause(regrets: readonly (RegretReport | undefined)[]): GateClause {
  const open = regrets.map((regret) => regret?.evidence?.agreement).find((one) => one?.status === "open");
  if (!open) return { clause: "agreement", met: true, reason: "the newest looks say what the older ones said" };
  const since = open.since?.slice(0, 10) ?? "now";
  const reason =
    open.why === "worsened"
      ? `the looks since ${since} are worse than those before`
      : `the look of ${since} does not support the limit by itself`;
  return { clause: "agreement", met: false, reason };
}

/** What an upper bound of a regret is held against, in words. */
const BOUNDED = {
  regret: "the reference",
  incumbent_regret: "the incumbent",
  conformance_drop: "the incumbent's conformance",
} as const;

export function boundedClause(clause: keyof typeof BOUNDED, regret: RegretReport | undefined): GateClause {
  const limit = regret?.limit;
  const estimate = regret?.estimate;
  const against = `against ${BOUNDED[clause]}`;
  if (!estimate) return { clause, met: false, limit, reason: `regret ${against} is not measured` };
  const { high, level } = estimate;
  if (limit === undefined) {
    const reason = `no max_regret is declared ${against}: the arm must be better than the incumbent`;
    return { clause, met: true, challenger: high, reason };
  }
  const met = high <= limit;
  const [bound, most] = [points(high), points(limit)];
  const reason = `upper bound ${bound} pts ${against} (one-sided ${levelOf(level)}) ${met ? "is within" : "is beyond"} ${most} pts`;
  return { clause, met, challenger: high, limit, reason };
}

function levelOf(level: number): string {
  return `${Number((100 * level).toPrecision(3))}%`;
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

/** Bounds against each other: the challenger's upper one, and for a factor the incumbent's lower one. */
export function latencyClause({ challenger, incumbent, figures }: Contest): GateClause[] {
  const declared = figures.objective.max_p95_ms;
  if (declared === undefined) return [];
  const [mine, theirs] = [challenger.latency_ms, incumbent.latency_ms];
  const [high, base] = [mine?.p95_bounds?.high, theirs?.p95_bounds?.low];
  const factor = typeof declared === "string" ? Number.parseFloat(declared) : undefined;
  const limit = typeof declared === "number" ? declared : base === undefined ? undefined : (factor ?? 1) * base;
  const ms = (value: number): string => `${Number(value.toPrecision(4))} ms`;
  if (high === undefined || limit === undefined) {
    const reason = `p95 of ${mine?.n ?? 0} answers (incumbent: ${theirs?.n ?? 0}) has no bound: 73 are needed`;
    return [{ clause: "latency", met: false, reason }];
  }
  const met = high <= limit;
  const what = factor === undefined ? "the limit of" : `${declared} the incumbent's lower bound,`;
  const reason = `upper bound ${ms(high)} of p95 (95%, n ${mine?.n ?? 0} answers) ${met ? "is within" : "is beyond"} ${what} ${ms(limit)}`;
  return [{ clause: "latency", met, challenger: high, limit, reason }];
}

/**
 * Better than the incumbent for certain: on regret, where a regret against it of 0 or more is excluded; or on cost, but
 * only under a declared max_regret, for without one nothing bounds how much worse a cheaper arm may be.
 */
export function improvementClause(contest: Contest): GateClause {
  const { challenger, incumbent, againstIncumbent, figures } = contest;
  const estimate = againstIncumbent?.estimate;
  if (estimate && estimate.high <= 0) {
    const reason = `regret against the incumbent is at most ${points(estimate.high)} pts`;
    return { clause: "improvement", met: true, challenger: estimate.high, limit: 0, reason };
  }
  const [mine, theirs] = [costOf(challenger, figures), costOf(incumbent, figures)];
  const cost = effectiveCostClause(contest);
  const bounded = figures.objective.max_regret !== undefined;
  const open = "not shown to be better than the incumbent on regret";
  const reason = !cost.met
    ? `${open}, nor on cost: ${cost.reason}`
    : bounded
      ? cost.reason
      : `${open}; it is cheaper, but no max_regret bounds what that may cost in quality`;
  return { clause: "improvement", met: cost.met && bounded, challenger: mine, incumbent: theirs, reason };
}
