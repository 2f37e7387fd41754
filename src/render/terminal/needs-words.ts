import type { ArmVerdict } from "../../bakeoff/gate/gate-report.ts";
import { formatUsd } from "../../money/format.ts";
import { usdToNano } from "../../money/nano-usd.ts";

/**
 * What it may still take to decide: how many more items in a tenth and in nine tenths of the simulated futures, the share
 * of them that decide at all, and the cost of the least.
 */
export function needsWords({ low, high, chance, usd }: NonNullable<ArmVerdict["needs"]>): string {
  if (chance === 0) return "no decision in sight";
  const range = high === undefined ? `${low}+` : `${low}–${high}`;
  const cost = usd === undefined ? "" : `, ~${formatUsd(usdToNano(usd))}+`;
  return `${range} items (${Math.round(100 * chance)}%)${cost}`;
}
