/** Quality regret of one arm against another, and the evidence that its bounds follow from. */
import { z } from "zod";
import { QUALITY_METRICS } from "../execution/sample.ts";
import { count, difference, fraction, name } from "../report/report-fields.ts";

/**
 * How the bounds of independent items came about. `tango_bonett_price`: a first look at pass/fail items.
 * `pseudo_pair_t`: a first look at graded ones. `betting`: every other look, on items that were new when seen.
 */
const REGRET_METHODS = ["tango_bonett_price", "pseudo_pair_t", "betting"] as const;

/** Two one-sided bounds at one level. */
const bounds = z.strictObject({ low: difference, high: difference });

/** A look at this comparison that counts, with the bounds that it had. */
const pastLook = z.strictObject({
  bakeoff: name,
  at: z.iso.datetime(),
  /** Questions paired in it, and how many of them were new. */
  questions: count,
  fresh: count,
  mean: difference,
  low: difference,
  high: difference,
});

const evidence = z.strictObject({
  /** `first`: a fixed number of questions decides. `later`: bets on questions not seen before decide. */
  look: z.enum(["first", "later"]),
  /** Looks that count, this one among them. */
  number: z.number().int().positive(),
  /** When the oldest of them ended. */
  since: z.iso.datetime(),
  /** Older evidence was contradicted by newer and does not count. */
  restarted: z.boolean(),
  /** Number of the arm's family on its route within 90 days, and how many arms were new in it. */
  family: z.number().int().positive(),
  family_arms: z.number().int().positive(),
  /** Whether the newest looks say what the older ones said; where they do not, nothing follows yet. */
  agreement: z.strictObject({
    status: z.enum(["agree", "open"]),
    why: z.enum(["worsened", "unsupported"]).optional(),
    since: z.iso.datetime().optional(),
  }),
  /** Questions of all looks, and the independent items they are worth; questions that are new in this one. */
  questions: count,
  items: count,
  fresh: count,
  /** Customers, runs and lone questions, and the part of the traffic that the largest of them has. */
  clusters: count,
  largest_share: fraction,
  /** Questions that are strata of their own: each above 5% of the traffic. */
  heavy: z
    .array(z.strictObject({ share: fraction, asked: count, mean: difference, low: difference, high: difference }))
    .max(20),
  /** Oldest first; the newest 60. */
  trajectory: z.array(pastLook).max(60),
});

const forecast = z.strictObject({
  /** Further items after which a tenth, and nine tenths, of the simulated futures have decided. */
  low: count,
  high: count.optional(),
  /** Share of them that decide within `most` items. */
  chance: fraction,
  most: count,
});

const estimate = z.strictObject({
  /** Weighted by traffic, of everything that counts; inside the bounds. */
  mean: difference,
  /** The bounds that decide, each one-sided at `level`: the wider of `of_items` and `of_traffic` at each end. */
  low: difference,
  high: difference,
  level: z.number().positive().max(0.5),
  method: z.enum(REGRET_METHODS),
  of_items: bounds,
  of_traffic: bounds,
  /** Two-sided 95% of the traffic's regret: descriptive, decides nothing. */
  descriptive: bounds,
  /** The upper bound if every missing pair of this bake-off were a loss. */
  high_if_missing_lost: difference,
  /** Items that an arm without regret would need to clear the limit with 80% chance, agreeing as often as here. */
  needed: count.optional(),
  /** The smallest limit that this many items confirm of such an arm with 80% chance. */
  detectable: z.number().nonnegative(),
  /** What a later look may still need; absent where it is decided, or where nothing can be said. */
  forecast: forecast.optional(),
});

const digest = z.string().regex(/^[A-Za-z0-9_-]{16,64}$/);

export const regretReport = z.strictObject({
  arm: name,
  against: name,
  /** What the pairs were scored by. */
  metric: z.enum(QUALITY_METRICS),
  /** What is compared, whatever it is called: digests of what the arms serve and of how they are graded. */
  key: z.strictObject({ arm: digest, against: digest, grading: digest }),
  /** Largest regret that is tolerated; absent = none is declared for this comparison. */
  limit: fraction.optional(),
  /** Inputs that both arms have a score of; fewer than 10 are not reported on. */
  n_paired: count,
  /** Inputs without a score on either side. */
  missing: count,
  /** Pairs in which the arm scored lower, and higher. */
  losses: count,
  wins: count,
  /** Absent where nothing was paired. */
  evidence: evidence.optional(),
  /** Absent below 10 pairs. */
  estimate: estimate.optional(),
});

export type RegretReport = z.infer<typeof regretReport>;
export type RegretEvidence = z.infer<typeof evidence>;
export type RegretEstimate = z.infer<typeof estimate>;
