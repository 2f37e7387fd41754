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
}

/** A first look decides on a fixed number of questions that was declared before; every other one on bets. */
export function isFirstLook({ looks, restarted }: EvidenceHistory): boolean {
  return looks.length === 1 && !restarted;
}

/**
 * Bounds at the level of the history's family divided among `arms` arms. Undefined where nothing was paired.
 */
export function boundsOf(history: EvidenceHistory, arms: number): EvidenceBounds | undefined {
  const level = familyLevel(history.family) / arms;
  return isFirstLook(history)
    ? decided(fixedBounds(history, level), history.tally, level)
    : decided(bettingBounds(history.tally, level), history.tally, level);
}

/** The bounds as they were at each of the looks, oldest first, at the level of the whole family. */
export function pastBounds(history: EvidenceHistory): (EvidenceBounds & { readonly fresh: number })[] {
  const level = familyLevel(history.family) / history.familyArms;
  const tally = new EvidenceTally();
  return history.looks.flatMap(({ pairs }, index) => {
    const fresh = tally.add(pairs);
    const isFirst = index === 0 && !history.restarted;
    const bounds = decided(isFirst ? fixedBounds(history, level) : bettingBounds(tally, level), tally, level);
    return bounds ? [{ ...bounds, fresh }] : [];
  });
}

type ItemBounds = Interval & { readonly method: BoundMethod };

function decided(items: ItemBounds | undefined, tally: EvidenceTally, level: number): EvidenceBounds | undefined {
  const traffic = trafficRegret(tally.questions, level);
  if (!traffic || !items) return undefined;
  return {
    mean: traffic.mean,
    low: Math.min(items.low, traffic.low),
    high: Math.max(items.high, traffic.high),
    level,
    method: items.method,
    items: { low: items.low, high: items.high },
    traffic,
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
