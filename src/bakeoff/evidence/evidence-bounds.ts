/** The bounds that decide on a comparison, from its whole history. */
import { familyLevel } from "../../stats/alpha-spending.ts";
import { bettingLower, bettingUpper } from "../../stats/betting-bound.ts";
import type { Interval } from "../../stats/interval.ts";
import { pairedRegret } from "../../stats/paired-regret.ts";
import { type TrafficRegret, trafficRegret } from "../../stats/traffic-regret.ts";
import type { EvidenceHistory } from "./evidence-history.ts";

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
  const traffic = trafficRegret(history.questions, level);
  const items = isFirstLook(history) ? fixedBounds(history, level) : bettingBounds(history, level);
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

type ItemBounds = Interval & { readonly method: BoundMethod };

function fixedBounds({ looks }: EvidenceHistory, level: number): ItemBounds | undefined {
  const regret = pairedRegret(
    (looks[0]?.items ?? []).map((d) => ({ d })),
    { confidence: 1 - 2 * level },
  );
  return regret && { low: regret.low, high: regret.high, method: regret.method };
}

function bettingBounds({ looks }: EvidenceHistory, level: number): ItemBounds {
  const items = looks.flatMap(({ freshItems }) => freshItems);
  return { low: bettingLower(items, level), high: bettingUpper(items, level), method: "betting" };
}
