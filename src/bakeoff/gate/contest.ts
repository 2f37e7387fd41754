/** What a gate looks at to judge one challenger: figures of a report, so that whoever holds it can judge again. */
import type { ArmReport, PairReport } from "../analysis/arm-report.ts";
import type { RegretReport } from "../analysis/regret-report.ts";
import type { BakeoffReport } from "../report/bakeoff-report.ts";

export type GateFigures = Pick<
  BakeoffReport,
  | "arms"
  | "pairs"
  | "regrets"
  | "objective"
  | "schema_declared"
  | "metric"
  | "reference"
  | "judge"
  | "sampling"
  | "evidence_store"
>;

type CostTerms = Pick<GateFigures, "objective" | "schema_declared">;

export interface Contest {
  readonly challenger: ArmReport;
  readonly incumbent: ArmReport;
  readonly reference: ArmReport | undefined;
  readonly pair: PairReport | undefined;
  /** Against the reference, by the report's metric. Absent where the reference is the challenger's own model. */
  readonly regret: RegretReport | undefined;
  readonly referenceIsOwn: boolean;
  /** Against what serves: by the report's metric, and by conformance alone. */
  readonly againstIncumbent: RegretReport | undefined;
  readonly conformanceDrop: RegretReport | undefined;
  readonly figures: GateFigures;
}

export function contestsOf(figures: GateFigures): Contest[] {
  const incumbent = figures.arms.find(({ role }) => role === "incumbent");
  if (!incumbent) throw new RangeError("a bake-off has an incumbent");
  const reference = figures.arms.find(({ role }) => role === "reference");
  const regretOf = (arm: string, against: string | undefined, metric = figures.metric): RegretReport | undefined =>
    figures.regrets.find((one) => one.arm === arm && one.against === against && one.metric === metric);
  return figures.arms
    .filter(({ role }) => role === "challenger")
    .map((challenger) => {
      const referenceIsOwn = reference?.candidates.some((model) => challenger.candidates.includes(model)) ?? false;
      return {
        challenger,
        incumbent,
        reference,
        pair: figures.pairs.find(({ arm }) => arm === challenger.arm),
        regret: referenceIsOwn ? undefined : regretOf(challenger.arm, reference?.arm),
        referenceIsOwn,
        againstIncumbent: regretOf(challenger.arm, incumbent.arm),
        conformanceDrop: regretOf(challenger.arm, incumbent.arm, "conformance"),
        figures,
      };
    });
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
export function costPerInput(arm: ArmReport): number | undefined {
  const { sent, cost_unknown: unknown, spend_usd: billed, priced_usd: spend = billed } = arm;
  return sent === 0 || unknown > 0 ? undefined : Number(spend) / sent;
}
