/** What calls of each arm cost and took in the newest earlier bake-off of this very version of the route. */
import { z } from "zod";
import type { PastArm } from "../../../bakeoff/plan/estimate.ts";
import { parsedJson } from "../../../json/parsed.ts";
import { earlierReports } from "../files/bakeoff-files.ts";

/** Only what is looked at: reports of other versions of modelrig are read too. */
const report = z.object({
  route_hash: z.string(),
  arms: z.array(
    z.object({
      arm: z.string(),
      sent: z.number(),
      spend_usd: z.string(),
      cost_unknown: z.number(),
      latency_ms: z.object({ p50: z.number() }).optional(),
    }),
  ),
});

const LOOKED_THROUGH = 50;
const LEAST_CALLS = 10;

export function pastArms(cwd: string, routeHash: string): ReadonlyMap<string, PastArm> {
  const past = new Map<string, PastArm>();
  for (const text of earlierReports(cwd, LOOKED_THROUGH)) {
    const read = report.safeParse(parsedJson(text));
    if (!read.success || read.data.route_hash !== routeHash) continue;
    for (const { arm, sent, spend_usd: spend, cost_unknown: unknown, latency_ms: latency } of read.data.arms) {
      if (past.has(arm) || sent < LEAST_CALLS || unknown > 0) continue;
      past.set(arm, { usdPerCall: Number(spend) / sent, latencyMs: latency?.p50 });
    }
  }
  return past;
}
