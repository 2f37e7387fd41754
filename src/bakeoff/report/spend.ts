import { addUsd, type NanoUsd, usdToNano } from "../../money/nano-usd.ts";
import type { BakeoffReport } from "./bakeoff-report.ts";

/** Returns what a bake-off spent: every arm, the judge, and what was booked for bills that are unknown. */
export function spendOf({ arms, judge, unknown_usd: unknown }: BakeoffReport): NanoUsd {
  return addUsd(
    ...arms.map(({ spend_usd: usd }) => usdToNano(usd)),
    usdToNano(judge?.spend_usd ?? "0"),
    usdToNano(unknown ?? "0"),
  );
}
