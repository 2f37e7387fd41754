/** The regrets of a report, each with the bounds that all looks at it give. */
import { familyLevel, LOOK_ALPHA } from "../../stats/alpha-spending.ts";
import { countedMoments } from "../../stats/betting-bound.ts";
import { forecastItems } from "../../stats/forecast.ts";
import { detectable, pairsNeeded } from "../../stats/power.ts";
import { seededRandom } from "../../stats/random.ts";
import { type AskedQuestion, trafficRegret } from "../../stats/traffic-regret.ts";
import type { RegretEstimate, RegretEvidence, RegretReport } from "../analysis/regret-report.ts";
import { boundsOf, type EvidenceBounds, isFirstLook, pastBounds } from "./evidence-bounds.ts";
import { countingLooks, type EvidenceHistory, RouteEvidence } from "./evidence-history.ts";
import type { LookRecord } from "./look-record.ts";

/** Below this many pairs no comparison is reported, and so none is proposed. */
export const MIN_PAIRS = 10;

/** What was counted in this bake-off, before any bound. */
export type CountedRegret = Omit<RegretReport, "evidence" | "estimate">;

/** One-sided level of the descriptive interval. */
const DESCRIPTIVE_LEVEL = 0.025;
const MOST_TRAJECTORY = 60;

/**
 * `whole`: all that a report says. `deciding`: without the bounds of past looks and the forecast, which take most of the
 * time and decide nothing.
 */
export type RegretDetail = "whole" | "deciding";

/**
 * `looks` are those of the route up to and including this bake-off's, oldest first. The same counts and looks give the
 * same report, so that whoever holds the looks can work it out again.
 */
export function decideRegrets(
  counted: readonly CountedRegret[],
  looks: readonly LookRecord[],
  detail: RegretDetail = "whole",
): RegretReport[] {
  const evidence = new RouteEvidence(countingLooks(looks, looks.at(-1)?.at ?? 0), LOOK_ALPHA);
  const known = counted.map((regret) => ({
    regret,
    // Without a declared limit an arm has to be better.
    history: evidence.historyOf(regret.key, regret.limit ?? 0),
  }));
  const divided = stepDown(known);
  return known.map((one) => {
    const { regret, history } = one;
    const bounds = history && boundsOf(history, divided.get(one) ?? history.familyArms);
    if (!history || !bounds) return regret;
    const trajectory = detail === "whole" ? trajectoryOf(history) : [];
    const told = { ...regret, evidence: { ...evidenceOf(history, bounds), trajectory } };
    if (regret.n_paired < MIN_PAIRS) return told;
    const forecast = detail === "whole" ? forecastOf(regret.limit, bounds.high, history) : undefined;
    return { ...told, estimate: { ...estimateOf(regret, history, bounds), ...(forecast && { forecast }) } };
  });
}

interface Known {
  readonly regret: CountedRegret;
  readonly history: EvidenceHistory | undefined;
}

/**
 * Holm 1979, with bounds in the place of p-values, so that the bound which is shown is the one that decided: arms of a
 * family whose bounds at the first look, corrected for all arms that are still open, keep all their limits are through;
 * the rest is corrected for fewer; until no further one is through. Later looks are corrected for the whole family.
 * Answers the number of arms each bound is corrected for.
 */
function stepDown(known: readonly Known[]): ReadonlyMap<Known, number> {
  const divided = new Map<Known, number>();
  for (const family of firstLooks(known)) {
    let open = new Set(family.map(({ regret }) => regret.arm));
    for (;;) {
      const corrected = family.filter(({ regret }) => open.has(regret.arm));
      for (const one of corrected) divided.set(one, open.size);
      const beyond = corrected.filter((one) => !keepsLimit(one, open.size)).map(({ regret }) => regret.arm);
      if (beyond.length === 0 || new Set(beyond).size === open.size) break;
      open = new Set(beyond);
    }
  }
  return divided;
}

/** Comparisons that are looked at for the first time, by family. */
function firstLooks(known: readonly Known[]): Known[][] {
  const families = new Map<number, Known[]>();
  for (const one of known) {
    const { history } = one;
    if (!history || !isFirstLook(history) || history.familyArms < 2) continue;
    families.set(history.family, [...(families.get(history.family) ?? []), one]);
  }
  return [...families.values()];
}

/** Without a declared limit an arm has to be better. */
function keepsLimit({ regret, history }: Known, arms: number): boolean {
  const high = history && boundsOf(history, arms)?.high;
  return high !== undefined && high <= (regret.limit ?? 0);
}

function evidenceOf(history: EvidenceHistory, { traffic }: EvidenceBounds): Omit<RegretEvidence, "trajectory"> {
  const { looks, agreement, tally } = history;
  const since = agreement.status === "agree" ? undefined : looks[agreement.since]?.look.at;
  return {
    look: isFirstLook(history) ? "first" : "later",
    number: looks.length,
    since: iso(looks[0]?.look.at ?? 0),
    restarted: history.restarted,
    family: history.family,
    family_arms: history.familyArms,
    agreement: {
      status: agreement.status === "agree" ? "agree" : "open",
      ...(agreement.status === "open" && { why: agreement.why }),
      ...(since !== undefined && { since: iso(since) }),
    },
    questions: traffic.questions,
    items: countedMoments(tally.items).n,
    fresh: history.fresh,
    clusters: traffic.clusters,
    largest_share: Math.min(1, traffic.largestShare),
    heavy: traffic.heavy.slice(0, 20).map(({ share, asked, mean, low, high }) => ({ share, asked, mean, low, high })),
  };
}

/** The bounds at each look, as they are worked out from what was known then. */
function trajectoryOf(history: EvidenceHistory): RegretEvidence["trajectory"] {
  return pastBounds(history)
    .map(({ fresh, mean, low, high }, index) => {
      const { look, pairs } = history.looks[index] ?? {};
      const at = iso(look?.at ?? 0);
      return { bakeoff: look?.bakeoff ?? "", at, questions: pairs?.length ?? 0, fresh, mean, low, high };
    })
    .slice(-MOST_TRAJECTORY);
}

function estimateOf(
  regret: CountedRegret,
  history: EvidenceHistory,
  bounds: EvidenceBounds,
): Omit<RegretEstimate, "forecast"> {
  const { mean, low, high, level, method, items, traffic } = bounds;
  const seen = countedMoments(history.tally.items);
  const plan = { discordance: seen.meanSquare, confidence: 1 - 2 * level };
  const described = trafficRegret(history.tally.questions, DESCRIPTIVE_LEVEL) ?? traffic;
  const { limit } = regret;
  return {
    mean,
    low,
    high,
    level,
    method,
    of_items: { low: items.low, high: items.high },
    of_traffic: { low: traffic.low, high: traffic.high },
    descriptive: { low: described.low, high: described.high },
    high_if_missing_lost: Math.max(high, highIfMissingLost(regret.missing, history.tally.questions, bounds)),
    ...(isDecidable(limit) && { needed: pairsNeeded({ ...plan, epsilon: limit }) }),
    detectable: detectable(Math.max(1, seen.n), plan),
  };
}

/**
 * Of later looks, which bet at the level of the whole family. The same evidence has the same forecast. Undefined where it
 * is decided already.
 */
function forecastOf(
  limit: number | undefined,
  high: number,
  { family, familyArms, tally }: EvidenceHistory,
): RegretEstimate["forecast"] {
  if (!isDecidable(limit) || high <= limit) return undefined;
  return forecastItems(tally.items, limit, familyLevel(family) / familyArms, seededRandom(1));
}

/** Some number of items could show an arm without regret to keep this limit. */
function isDecidable(limit: number | undefined): limit is number {
  return limit !== undefined && limit > 0 && limit < 1;
}

function highIfMissingLost(
  missing: number,
  questions: readonly AskedQuestion[],
  { level, later }: EvidenceBounds,
): number {
  if (missing === 0) return -1;
  const mean = questions.reduce((sum, { weight }) => sum + weight, 0) / Math.max(1, questions.length);
  const lost = Array.from({ length: missing }, (_, i) => {
    return { question: `missing ${i}`, differences: [1], weight: mean };
  });
  return trafficRegret([...questions, ...lost], level, later)?.high ?? 1;
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
