/** The bounds that decide on a comparison, from all looks that count. */
import { familyLevel } from "../../stats/alpha-spending.ts";
import { bettingLower, bettingUpper } from "../../stats/betting-bound.ts";
import type { Interval } from "../../stats/interval.ts";
import { pairedRegret } from "../../stats/paired-regret.ts";
import { type TrafficRegret, trafficRegret } from "../../stats/traffic-regret.ts";
import type { EvidenceHistory } from "./evidence-history.ts";
import { EvidenceTally } from "./evidence-tally.ts";

type BoundMethod = "tango_bonett_price" | "pseudo_pair_t" | "betting";

export interface EvidenceBounds extends Interval {
  /** Weighted by traffic, of everything that counts; inside the bounds. */
  readonly mean: number;
  /** One-sided, of each bound. */
  readonly level: number;
  readonly method: BoundMethod;
  /** Of independent items, and of the traffic: the wider of the two at each end decides. */
  readonly items: Interval;
  readonly traffic: TrafficRegret;
  /** 0 = the first look. */
  readonly later: number;
}

/** A first look decides on a fixed number of questions that was declared before; every other one on bets. */
export function isFirstLook({ looks, restarted }: EvidenceHistory): boolean {
  return looks.length === 1 && !restarted;
}

/**
 * Bounds at the level of the history's family divided among `arms` arms. Undefined where nothing was paired.
 */
export function boundsOf(history: EvidenceHistory, arms: number): EvidenceBounds | undefined {
  const { family, tally, looks } = history;
  return boundsAt(history, { tally, level: familyLevel(family) / arms, later: laterOf(history, looks.length) });
}

/** The bounds as they were at each of the looks, oldest first, at the level of the whole family. */
export function pastBounds(history: EvidenceHistory): (EvidenceBounds & { readonly fresh: number })[] {
  const level = familyLevel(history.family) / history.familyArms;
  const tally = new EvidenceTally();
  return history.looks.flatMap(({ pairs }, index) => {
    const fresh = tally.add(pairs);
    const bounds = boundsAt(history, { tally, level, later: laterOf(history, index + 1) });
    return bounds ? [{ ...bounds, fresh }] : [];
  });
}

/** Number of later looks among the first `looks` ones. */
function laterOf({ restarted }: EvidenceHistory, looks: number): number {
  return restarted ? looks : looks - 1;
}

type ItemBounds = Interval & { readonly method: BoundMethod };

function boundsAt(
  history: EvidenceHistory,
  { tally, level, later }: { readonly tally: EvidenceTally; readonly level: number; readonly later: number },
): EvidenceBounds | undefined {
  const traffic = trafficRegret(tally.questions, level, later);
  const items = later === 0 ? fixedBounds(history, level) : bettingBounds(tally, level);
  if (!traffic || !items) return undefined;
  return {
    mean: traffic.mean,
    low: Math.min(items.low, traffic.low),
    high: Math.max(items.high, traffic.high),
    level,
    method: items.method,
    items: { low: items.low, high: items.high },
    traffic,
    later,
  };
}

/** Of the first of the looks. */
function fixedBounds({ looks }: EvidenceHistory, level: number): ItemBounds | undefined {
  const regret = pairedRegret(
    (looks[0]?.items ?? []).map((d) => ({ d })),
    { confidence: 1 - 2 * level },
  );
  return regret && { low: regret.low, high: regret.high, method: regret.method };
}

function bettingBounds({ items }: EvidenceTally, level: number): ItemBounds {
  return { low: bettingLower(items, level), high: bettingUpper(items, level), method: "betting" };
}
