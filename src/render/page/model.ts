/** Of a report, what its page asks for again and again. */

import type { ArmReport } from "../../bakeoff/analysis/arm-report.ts";
import type { RegretReport } from "../../bakeoff/analysis/regret-report.ts";
import type { ArmVerdict } from "../../bakeoff/gate/gate-report.ts";
import { verdictOf } from "../../bakeoff/gate/verdict.ts";
import type { BakeoffReport } from "../../bakeoff/report/bakeoff-report.ts";
import { formatUsd } from "../../money/format.ts";
import { nanoUsd, usdToNano } from "../../money/nano-usd.ts";
import { type Mark, verdictMark } from "../plot/mark.ts";

/** What regrets are shown against: the reference or, without one, the incumbent. */
export function baseOf({ arms, incumbent }: BakeoffReport): string {
  return arms.find(({ role }) => role === "reference")?.arm ?? incumbent;
}

export function regretOf(report: BakeoffReport, arm: string): RegretReport | undefined {
  const base = baseOf(report);
  return report.regrets.find((one) => one.arm === arm && one.against === base);
}

export function verdictOnArm({ gate }: BakeoffReport, arm: string): ArmVerdict | undefined {
  return gate.verdicts.find((one) => one.arm === arm);
}

/** From the bounds and the limit alone; an arm that no verdict is passed on gets the mark its bounds would give it. */
export function armMark(report: BakeoffReport, { arm, role }: ArmReport): Mark {
  if (role === "reference") return "diamond";
  const regret = regretOf(report, arm);
  if (!regret?.estimate || regret.limit === undefined) return verdictMark(verdictOnArm(report, arm)?.verdict);
  return verdictMark(verdictOf(regret, report.partial));
}

/** Whether the arm's own bound clears what the route declares; without a limit on regret, whether its gate is met. */
export function boundClears(report: BakeoffReport, { arm, role, complete }: ArmReport): boolean {
  if (!complete) return false;
  if (role === "reference") return true;
  const limit = report.objective.max_regret;
  if (limit === undefined) return role === "incumbent" || verdictOnArm(report, arm)?.clears === true;
  const estimate = regretOf(report, arm)?.estimate;
  return estimate !== undefined && estimate.high <= limit;
}

/** Up to four arms have a colour each, by declared position; of more, only the one that is proposed has one. */
export function armTone({ arms, gate }: BakeoffReport, { arm, role }: ArmReport): string {
  const own = arms.filter((one) => one.role !== "reference");
  if (role === "reference") return "open";
  const index = own.findIndex((one) => one.arm === arm);
  if (own.length <= 4) return `series-${index + 1}`;
  return arm === gate.proposes ? "series-1" : "open";
}

/** Dollars, a computed figure. */
export function usd(amount: number): string {
  return formatUsd(nanoUsd(Math.round(amount * 1e9)));
}

export function usdOf(text: string): string {
  return formatUsd(usdToNano(text));
}

export function dayOf(iso: string): string {
  return iso.slice(0, 10);
}

const METRIC_WORDS = {
  golden: "golden outputs",
  value_accuracy: "value checks",
  judge: "the judge",
  conformance: "conformance to the schema",
} as const satisfies Record<BakeoffReport["metric"], string>;

export function metricWords(metric: BakeoffReport["metric"]): string {
  return METRIC_WORDS[metric];
}
