import { formatUsd } from "../../money/format.ts";
import { usdToNano } from "../../money/nano-usd.ts";

/** An exact amount of the API (decimal dollars, nine places) for people; null = unknown. */
export function shownUsd(usd: string | null, estimated: boolean): string {
  return usd === null ? "unknown" : formatUsd(usdToNano(usd), { estimated });
}
