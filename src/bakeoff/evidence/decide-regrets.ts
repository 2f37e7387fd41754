/** The regrets of a report, each with the bounds that all looks at it give. */
import { LOOK_ALPHA } from "../../stats/alpha-spending.ts";
import { forecastItems } from "../../stats/forecast.ts";
import { detectable, pairsNeeded } from "../../stats/power.ts";
import { momentsOf } from "../../stats/pseudo-pair.ts";
import { seededRandom } from "../../stats/random.ts";
import { trafficRegret } from "../../stats/traffic-regret.ts";
import type { RegretEstimate, RegretEvidence, RegretReport } from "../analysis/regret-report.ts";
import { boundsOf, type EvidenceBounds, isFirstLook } from "./evidence-bounds.ts";
import { countingLooks, type EvidenceHistory, historyOf } from "./evidence-history.ts";
import type { LookRecord } from "./look-record.ts";

/** Below this many pairs no comparison is reported, and so none is proposed. */
export const MIN_PAIRS = 10;

/** What was counted in this bake-off, before any bound. */
export type CountedRegret = Omit<RegretReport, "evidence" | "estimate">;

/** One-sided level of the descriptive interval. */
const DESCRIPTIVE_LEVEL = 0.025;
const MOST_TRAJECTORY = 60;

/**
 * `looks` are those of the route up to and including this bake-off's, oldest first. The same counts and looks give the
 * same report, so that whoever holds the looks can work it out again.
 */
export function decideRegrets(counted: readonly CountedRegret[], looks: readonly LookRecord[]): RegretReport[] {
  const counting = countingLooks(looks, looks.at(-1)?.at ?? 0);
  const known = counted.map((regret) => ({
    regret,
    history: historyOf(counting, regret.key, regret.limit ?? 1, LOOK_ALPHA),
  }));
  const divided = stepDown(known);
  return known.map((one) => {
    const { regret, history } = one;
    const bounds = history && boundsOf(history, divided.get(one) ?? history.familyArms);
    if (!history || !bounds) return regret;
    const evidence = evidenceOf(history, bounds);
    if (regret.n_paired < MIN_PAIRS) return { ...regret, evidence };
    return { ...regret, evidence, estimate: estimateOf(regret, history, bounds) };
  });
}

interface Known {
  readonly regret: CountedRegret;
  readonly history: EvidenceHistory | undefined;
}

/**
 * Holm 1979, with bounds in the place of p-values, so that the bound which is shown is the one that decided: arms of a
 * family's first look whose bound, corrected for all that are still open, keeps its limit are through; the rest is
 * corrected for fewer; until no further one is through. Later looks are corrected for the whole family. Answers the
 * number of arms each bound is corrected for.
 */
function stepDown(known: readonly Known[]): ReadonlyMap<Known, number> {
  const divided = new Map<Known, number>();
  for (const group of firstLooks(known)) {
    let open = group;
    for (;;) {
      const arms = new Set(open.map(({ regret }) => regret.arm)).size;
      for (const one of open) divided.set(one, Math.max(1, arms));
      const through = open.filter(({ regret, history }) => {
        const high = history && boundsOf(history, Math.max(1, arms))?.high;
        return regret.limit !== undefined && (high ?? 1) <= regret.limit;
      });
      if (through.length === 0) break;
      open = open.filter((one) => !through.includes(one));
    }
  }
  return divided;
}

/** Comparisons of one kind (against the same arm, by the same grading) that are looked at for the first time. */
function firstLooks(known: readonly Known[]): Known[][] {
  const groups = new Map<string, Known[]>();
  for (const one of known) {
    const { history, regret } = one;
    if (!history || !isFirstLook(history) || history.familyArms < 2) continue;
    const group = JSON.stringify([history.family, regret.key.against, regret.key.grading]);
    groups.set(group, [...(groups.get(group) ?? []), one]);
  }
  return [...groups.values()].filter((group) => group.length > 1);
}

function evidenceOf(history: EvidenceHistory, { traffic }: EvidenceBounds): RegretEvidence {
  const { looks, agreement } = history;
  const [oldest, newest] = [looks[0], looks.at(-1)];
  const since = agreement.status === "agree" ? undefined : looks[agreement.since]?.at;
  return {
    look: isFirstLook(history) ? "first" : "later",
    number: looks.length,
    since: iso(oldest?.at ?? 0),
    restarted: history.restarted,
    family: history.family,
    family_arms: history.familyArms,
    agreement: {
      status: agreement.status === "agree" ? "agree" : "open",
      ...(agreement.status === "open" && { why: agreement.why }),
      ...(since !== undefined && { since: iso(since) }),
    },
    questions: traffic.questions,
    items: looks.reduce((sum, { freshItems }) => sum + freshItems.length, 0),
    fresh: newest?.fresh ?? 0,
    clusters: traffic.clusters,
    largest_share: Math.min(1, traffic.largestShare),
    heavy: traffic.heavy.slice(0, 20).map(({ share, asked, mean, low, high }) => ({ share, asked, mean, low, high })),
    trajectory: trajectoryOf(history),
  };
}

/** The bounds at each look, as they are worked out from what was known then. */
function trajectoryOf(history: EvidenceHistory): RegretEvidence["trajectory"] {
  const ends = history.looks.map((_, index) => index + 1).slice(-MOST_TRAJECTORY);
  return ends.flatMap((end) => {
    const past = history.until(end);
    const bounds = boundsOf(past, history.familyArms);
    const look = past.looks.at(-1);
    if (!bounds || !look) return [];
    const { bakeoff, at, questions, fresh } = look;
    return [{ bakeoff, at: iso(at), questions, fresh, mean: bounds.mean, low: bounds.low, high: bounds.high }];
  });
}

function estimateOf(regret: CountedRegret, history: EvidenceHistory, bounds: EvidenceBounds): RegretEstimate {
  const { mean, low, high, level, method, items, traffic } = bounds;
  const seen = history.looks.flatMap(({ freshItems }) => freshItems);
  const plan = { discordance: momentsOf(seen).meanSquare, confidence: 1 - 2 * level };
  const described = trafficRegret(history.questions, DESCRIPTIVE_LEVEL) ?? traffic;
  const { limit } = regret;
  const decidable = limit !== undefined && limit > 0 && limit < 1;
  return {
    mean,
    low,
    high,
    level,
    method,
    of_items: { low: items.low, high: items.high },
    of_traffic: { low: traffic.low, high: traffic.high },
    descriptive: { low: described.low, high: described.high },
    high_if_missing_lost: Math.max(high, highIfMissingLost(regret, history, level)),
    ...(decidable && { needed: pairsNeeded({ ...plan, epsilon: limit }) }),
    detectable: detectable(Math.max(1, seen.length), plan),
    ...forecastOf(limit, high, seen, level),
  };
}

function forecastOf(
  limit: number | undefined,
  high: number,
  seen: readonly number[],
  level: number,
): Pick<RegretEstimate, "forecast"> {
  if (limit === undefined || limit <= 0 || limit >= 1 || high <= limit) return {};
  // The seed is fixed: the same evidence has the same forecast.
  const forecast = forecastItems(seen, limit, level, seededRandom(1));
  return forecast === undefined
    ? {}
    : { forecast: { low: forecast.low, high: forecast.high, chance: forecast.chance, most: forecast.most } };
}

function highIfMissingLost({ missing }: CountedRegret, { questions }: EvidenceHistory, level: number): number {
  const mean = questions.reduce((sum, { weight }) => sum + weight, 0) / Math.max(1, questions.length);
  const lost = Array.from({ length: missing }, (_, i) => {
    return { question: `missing ${i}`, differences: [1], weight: mean };
  });
  return trafficRegret([...questions, ...lost], level)?.high ?? 1;
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
