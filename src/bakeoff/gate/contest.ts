/** What a gate looks at to judge one challenger: figures of a report, so that whoever holds it can judge again. */
import type { ArmReport, PairReport } from "../analysis/arm-report.ts";
import type { RegretReport } from "../analysis/regret-report.ts";
import type { BakeoffReport } from "../report/bakeoff-report.ts";

export type GateFigures = Pick<
  BakeoffReport,
  "arms" | "pairs" | "regrets" | "objective" | "schema_declared" | "reference" | "judge"
>;

type CostTerms = Pick<GateFigures, "objective" | "schema_declared">;

export interface Contest {
  readonly challenger: ArmReport;
  readonly incumbent: ArmReport;
  readonly reference: ArmReport | undefined;
  readonly pair: PairReport | undefined;
  /** Against the reference. */
  readonly regret: RegretReport | undefined;
  readonly incumbentRegret: RegretReport | undefined;
  readonly againstIncumbent: RegretReport | undefined;
  readonly figures: GateFigures;
}

export function contestsOf(figures: GateFigures): Contest[] {
  const incumbent = figures.arms.find(({ role }) => role === "incumbent");
  if (!incumbent) throw new RangeError("a bake-off has an incumbent");
  const reference = figures.arms.find(({ role }) => role === "reference");
  const regretOf = (arm: string, against: string | undefined): RegretReport | undefined =>
    figures.regrets.find((regret) => regret.arm === arm && regret.against === against);
  return figures.arms
    .filter(({ role }) => role === "challenger")
    .map((challenger) => ({
      challenger,
      incumbent,
      reference,
      pair: figures.pairs.find(({ arm }) => arm === challenger.arm),
      regret: regretOf(challenger.arm, reference?.arm),
      incumbentRegret: regretOf(incumbent.arm, reference?.arm),
      againstIncumbent: regretOf(challenger.arm, incumbent.arm),
      figures,
    }));
}

/** What an arm's cost is told per 1K of: outputs that pass the quality gate, or conform; inputs where there is no schema. */
export function costUnit({ objective, schema_declared: schema }: CostTerms): "passing" | "conformant" | "sent" {
  return objective.quality_gate ? "passing" : schema ? "conformant" : "sent";
}

/** Dollars per 1K of `costUnit`; undefined where it cannot be formed. */
export function costOf(arm: ArmReport, terms: CostTerms): number | undefined {
  switch (costUnit(terms)) {
    case "passing":
      return arm.effective_passing?.usd_per_1k;
    case "conformant":
      return arm.effective?.usd_per_1k;
    case "sent": {
      const each = costPerInput(arm);
      return each && each * 1000;
    }
  }
}

/** Spend ÷ inputs sent, in dollars; undefined while a cost is unknown. */
export function costPerInput({ spend_usd: spend, sent, cost_unknown: unknown }: ArmReport): number | undefined {
  return sent === 0 || unknown > 0 ? undefined : Number(spend) / sent;
}
