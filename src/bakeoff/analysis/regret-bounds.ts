/** Regret of an arm: what was counted, and the bounds that follow from it. */
import { type PairedRegret, pairedRegret, regretInterval } from "../../stats/paired-regret.ts";
import { detectable, pairsNeeded } from "../../stats/power.ts";
import { confidenceFor } from "./alpha-spending.ts";
import type { RegretBounds, RegretEstimate, RegretLook, RegretPairs, RegretReport } from "./regret-report.ts";
import type { PairedInput } from "./scores.ts";

/** Below this many pairs no comparison is reported, and so none is proposed. */
export const MIN_PAIRS = 10;

/** What was counted, before any bound. */
export type CountedRegret = Omit<RegretReport, "estimate">;

export function countRegret(
  arms: { readonly arm: string; readonly against: string },
  pairs: readonly PairedInput[],
  inputs: number,
  look: RegretLook,
): CountedRegret {
  const regret = pairedRegret(pairs);
  const { losses = 0, wins = 0 } = regret ?? {};
  const counts = { n_paired: pairs.length, missing: inputs - pairs.length, losses, wins };
  return { ...arms, ...counts, pairs: regret && pairsOf(regret), look };
}

function pairsOf({ method, moments, degrees, clustering }: PairedRegret): RegretPairs {
  return {
    method,
    worth: moments.n,
    mean: moments.mean,
    mean_square: moments.meanSquare,
    degrees,
    clustering: clustering && {
      clusters: clustering.clusters,
      largest_share: clustering.largestShare,
      deff: clustering.deff,
    },
  };
}

export interface RegretTerms {
  /** The limit; absent = none is declared. */
  readonly epsilon?: number | undefined;
  /** The arm whose regrets are held against the limit. */
  readonly reference?: string | undefined;
  /** Names of the arms that may be proposed. */
  readonly challengers: readonly string[];
}

/** The regrets with their bounds, each at the level at which Holm's procedure decides on its arm. */
export function withBounds(regrets: readonly CountedRegret[], terms: RegretTerms): RegretReport[] {
  const decided = stepDown(regrets, terms);
  return regrets.map((regret) => {
    const estimate = estimateOf(regret, decided.get(regret) ?? regret.look.family, terms.epsilon);
    return estimate ? { ...regret, estimate } : regret;
  });
}

/**
 * Holm 1979, with bounds in the place of p-values, so that the bound which is shown is the one that decided: arms whose
 * bound, corrected for all that are still open, keeps the limit are through; the rest is corrected for fewer; until no
 * further one is through. Answers the number of arms each bound is corrected for. First and later looks have an error
 * of their own, and so a procedure of their own.
 */
function stepDown(regrets: readonly CountedRegret[], terms: RegretTerms): ReadonlyMap<CountedRegret, number> {
  const decided = new Map<CountedRegret, number>();
  const { epsilon, reference, challengers } = terms;
  if (epsilon === undefined || reference === undefined) return decided;
  const tested = regrets.filter(({ arm, against }) => against === reference && challengers.includes(arm));
  for (const kind of ["first", "later"] as const) {
    let open = tested.filter(({ look }) => look.kind === kind);
    let through = 0;
    for (;;) {
      for (const regret of open) decided.set(regret, Math.max(1, regret.look.family - through));
      const kept = open.filter((regret) => (boundsAt(regret, decided.get(regret) ?? 1)?.high ?? 1) <= epsilon);
      if (kept.length === 0) break;
      through += kept.length;
      open = open.filter((regret) => !kept.includes(regret));
    }
  }
  return decided;
}

function boundsAt({ n_paired: n, pairs, look }: CountedRegret, arms: number): RegretBounds | undefined {
  if (!pairs || n < MIN_PAIRS) return undefined;
  if (look.kind === "later") return look.bounds?.[arms - 1] ?? { low: -1, high: 1 };
  return regretInterval(pairs.method, momentsOf(pairs), pairs.degrees, confidenceFor(arms));
}

function estimateOf(regret: CountedRegret, arms: number, epsilon: number | undefined): RegretEstimate | undefined {
  const { pairs, look } = regret;
  const decisive = boundsAt(regret, arms);
  const corrected = boundsAt(regret, look.family);
  if (!pairs || !decisive || !corrected) return undefined;
  const confidence = confidenceFor(arms);
  const plan = { discordance: pairs.mean_square, confidence };
  const independent =
    epsilon === undefined || epsilon <= 0 || epsilon >= 1 ? undefined : pairsNeeded({ ...plan, epsilon });
  return {
    mean: look.mean ?? pairs.mean,
    ...decisive,
    level: (1 - confidence) / 2,
    method: look.kind === "first" ? pairs.method : "e_process",
    corrected,
    high_if_missing_lost: Math.max(decisive.high, withMissingLost(regret, pairs, confidence)),
    needed: independent && Math.ceil((independent * regret.n_paired) / pairs.worth),
    detectable: detectable(pairs.worth, plan),
  };
}

/** The fixed-n bound of the pairs and, added to them, one loss for each that is missing. */
function withMissingLost({ n_paired: n, missing }: CountedRegret, pairs: RegretPairs, confidence: number): number {
  const { method, worth, mean, mean_square: meanSquare, degrees, clustering } = pairs;
  const all = n + missing;
  const moments = {
    n: (worth * all) / n,
    mean: (n * mean + missing) / all,
    meanSquare: (n * meanSquare + missing) / all,
  };
  const freedom = degrees === undefined || clustering ? degrees : degrees + missing;
  return regretInterval(method, moments, freedom, confidence).high;
}

function momentsOf({ worth, mean, mean_square: meanSquare }: RegretPairs) {
  return { n: worth, mean, meanSquare };
}
