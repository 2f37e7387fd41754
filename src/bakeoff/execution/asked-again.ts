/** Calls that an envelope refused and that are asked again. */
import { addUsd, ZERO_USD } from "../../money/nano-usd.ts";
import type { Sample } from "./sample.ts";

/** Reason of a refusal by an envelope; undefined where the call was taken, whatever came of it. */
export function refusalOf({ failure }: Pick<Sample, "failure">): string | undefined {
  return failure?.class === "budget_exhausted" ? (failure.reason ?? "budget_exhausted") : undefined;
}

type Paid = Pick<Sample, "cost" | "costEstimated" | "attempts"> & {
  readonly repairCost?: Sample["repairCost"];
  readonly bills?: Sample["bills"];
};

/** What was refused midway and asked again has cost both times. */
export function withEarlier<T extends Paid>(now: T, earlier: Paid | undefined): T {
  if (!earlier) return now;
  const cost = now.cost === undefined || earlier.cost === undefined ? undefined : addUsd(now.cost, earlier.cost);
  return {
    ...now,
    cost,
    costEstimated: now.costEstimated || earlier.costEstimated,
    ...(now.repairCost !== undefined && { repairCost: addUsd(now.repairCost, earlier.repairCost ?? ZERO_USD) }),
    ...(now.bills !== undefined && { bills: [...(earlier.bills ?? []), ...now.bills] }),
    attempts: now.attempts + earlier.attempts,
  };
}
