/** The gate of a bake-off, over figures only, so that whoever holds a report can decide it again. */

import { nanoOf } from "../../money/dollars.ts";
import { nanoToUsdText } from "../../money/nano-usd.ts";
import { LEAST_CONFORMANT, LEAST_SAMPLES } from "../../stats/cost.ts";
import type { RegretReport } from "../analysis/regret-report.ts";
import { balancedClauses, lowestScore } from "./balanced-gate.ts";
import { type Contest, contestsOf, costPerInput, type GateFigures } from "./contest.ts";
import { cheapest, costFirstClauses } from "./cost-first-gate.ts";
import { type ArmVerdict, type GateClause, type GateReport, LONGEST_REASON } from "./gate-report.ts";
import { leastRegret, qualityFirstClauses } from "./quality-first-gate.ts";
import { verdictOf } from "./verdict.ts";

interface Gate {
  readonly clauses: (contest: Contest) => readonly GateClause[];
  /** Which of the arms that clear is proposed. */
  readonly choose: (cleared: readonly ArmVerdict[], figures: GateFigures) => string | undefined;
}

const GATES: Readonly<Record<GateFigures["objective"]["mode"], Gate>> = {
  "cost-first": { clauses: costFirstClauses, choose: cheapest },
  "quality-first": { clauses: qualityFirstClauses, choose: leastRegret },
  balanced: { clauses: balancedClauses, choose: lowestScore },
};

export function decideGate(figures: GateFigures): GateReport {
  const gate = GATES[figures.objective.mode];
  const verdicts = contestsOf(figures).map((contest) => verdictOn(contest, gate.clauses(contest).map(withShortReason)));
  const proposes = gate.choose(
    verdicts.filter(({ clears }) => clears),
    figures,
  );
  return { kind: figures.objective.mode, verdicts, proposes, reason: reasonOf(figures, verdicts, proposes) };
}

function verdictOn(contest: Contest, clauses: GateClause[]): ArmVerdict {
  const clears = clauses.every(({ met }) => met);
  const saving = clears ? savingOf(contest) : undefined;
  const { challenger, reference } = contest;
  const stopped = !challenger.complete || reference?.complete === false;
  const regret = decidingRegret(contest);
  // What an unusable judge leaves is the shape of the answers, which is no verdict on quality.
  const judgeless = contest.figures.metric === "judge" && contest.figures.judge?.unusable_because !== undefined;
  const verdict = judgeless ? undefined : regret && verdictOf(regret, stopped);
  const needs = verdict === "continue" ? needsOf(contest) : undefined;
  return { arm: challenger.arm, clears, clauses, verdict, needs, cost_separated: saving !== undefined, saving };
}

/** Names of arms and of models may be long, and a report that breaks its own shape is refused. */
function withShortReason(clause: GateClause): GateClause {
  return { ...clause, reason: clause.reason.slice(0, LONGEST_REASON) };
}

/** What the verdict is about: the regret against the reference or, where there is none to count, what serves. */
function decidingRegret({ regret, againstIncumbent, conformanceDrop }: Contest): RegretReport | undefined {
  return [regret, againstIncumbent, conformanceDrop].find((one) => one?.estimate !== undefined);
}

/** What the forecast says, with its cost at the rates seen, all arms and the judge included. */
function needsOf(contest: Contest): ArmVerdict["needs"] {
  const { challenger, incumbent, reference, figures } = contest;
  const forecast = decidingRegret(contest)?.estimate?.forecast;
  if (forecast === undefined) return undefined;
  const { low, high, chance } = forecast;
  const needs = { low, high, chance };
  const each = [challenger, incumbent, ...(reference ? [reference] : [])].map(costPerInput);
  const { judge } = figures;
  const judging = judge && judge.pairs > 0 && judge.cost_unknown === 0 ? Number(judge.spend_usd) / judge.pairs : 0;
  if (each.some((cost) => cost === undefined)) return needs;
  const perPair = each.reduce<number>((sum, cost) => sum + (cost ?? 0), judging);
  return { ...needs, usd: nanoToUsdText(nanoOf(perPair * low)) };
}

/** A saving is claimed only where the paired cost ratio's upper bound is below 1, on enough samples. */
function savingOf({ challenger, incumbent, pair, figures }: Contest): ArmVerdict["saving"] {
  const gated = figures.objective.quality_gate !== undefined;
  const ratio = gated ? pair?.cost_ratio_passing : pair?.cost_ratio;
  if (!pair || ratio?.low === undefined || ratio.high === undefined || ratio.high >= 1) return undefined;
  const counted = [challenger, incumbent].map((arm) => (gated ? (arm.passing?.count ?? 0) : arm.conformant));
  if (pair.n_paired < LEAST_SAMPLES || Math.min(...counted) < LEAST_CONFORMANT) return undefined;
  return { fraction: 1 - ratio.ratio, low: 1 - ratio.high, high: 1 - ratio.low };
}

function reasonOf({ arms }: GateFigures, verdicts: readonly ArmVerdict[], proposes: string | undefined): string {
  if (proposes !== undefined) return `${proposes} clears`;
  if (verdicts.length === 0) return "there is no challenger to compare";
  if (arms.some(({ complete }) => !complete)) return "the result is partial, and a partial result cannot propose";
  return "no arm clears";
}
