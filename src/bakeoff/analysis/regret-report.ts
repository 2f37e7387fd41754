/** Quality regret of one arm against another, paired on the same inputs, with everything its bounds follow from. */
import { z } from "zod";
import { count, difference, MOST_ARMS, name } from "../report/report-fields.ts";

/**
 * How the bounds came about. `tango_bonett_price`: pass/fail pairs. `pseudo_pair_t`: graded pairs. `e_process`: all new
 * pairs of all looks so far.
 */
export const REGRET_METHODS = ["tango_bonett_price", "pseudo_pair_t", "e_process"] as const;

/** Two one-sided bounds at one level. */
const bounds = z.strictObject({ low: difference, high: difference });

/** What the bounds of a fixed look follow from. A pair's difference is the score of `against` − the score of `arm`. */
const pairs = z.strictObject({
  method: z.enum(["tango_bonett_price", "pseudo_pair_t"]),
  /** Independent pairs that the data are worth; fewer than `n_paired` where inputs share a cluster or were repeated. */
  worth: z.number().positive(),
  mean: difference,
  mean_square: z.number().min(0).max(1),
  /** Of Student's t; absent = normal. */
  degrees: count.optional(),
  /** Only where pairs share runs or customers, or repeats weigh in. */
  clustering: z
    .strictObject({ clusters: count, largest_share: z.number().min(0).max(1), deff: z.number().positive() })
    .optional(),
});

/** Which look at this comparison this is, by the evidence that is kept. */
const look = z.strictObject({
  /** `first`: the fixed-n bound decides. `later`: the e-process does. */
  kind: z.enum(["first", "later"]),
  number: z.number().int().positive(),
  /** Items that the e-process has taken in, and how many of them are new in this report. */
  items: count,
  fresh: count,
  /** The most challengers that were ever compared at once, which bounds are corrected for. */
  family: z.number().int().positive(),
  /** Of a later look: bounds of the e-process, corrected for 1, 2, … `family` arms. */
  bounds: z.array(bounds).max(MOST_ARMS).optional(),
  /** Of a later look: mean of all items, which its bounds are about. */
  mean: difference.optional(),
  /** New pairs after which a later look would clear, at the rates seen. Absent = no number would. */
  more: count.optional(),
});

const estimate = z.strictObject({
  /** Of what the bounds are about: the pairs of this bake-off or, of a later look, the items of all. */
  mean: difference,
  /** The bounds that decide, each one-sided at `level`. */
  low: difference,
  high: difference,
  level: z.number().positive().max(0.5),
  method: z.enum(REGRET_METHODS),
  /** The bounds corrected for the whole family, whatever step of Holm's procedure decided. */
  corrected: bounds,
  /** The upper bound if every missing pair were a loss. */
  high_if_missing_lost: difference,
  /** Pairs that an arm without regret would need to clear the limit with 80% probability, agreeing as often as here. */
  needed: count.optional(),
  /** The smallest limit that this many pairs confirm of such an arm with 80% probability. */
  detectable: z.number().nonnegative(),
});

export const regretReport = z.strictObject({
  arm: name,
  against: name,
  /** Inputs that both arms have a score of; fewer than 10 are not reported on. */
  n_paired: count,
  /** Inputs without a score on either side. */
  missing: count,
  /** Pairs in which the arm scored lower, and higher. */
  losses: count,
  wins: count,
  /** Absent where there is no pair. */
  pairs: pairs.optional(),
  look,
  /** Absent below 10 pairs. */
  estimate: estimate.optional(),
});

export type RegretReport = z.infer<typeof regretReport>;
export type RegretPairs = z.infer<typeof pairs>;
export type RegretLook = z.infer<typeof look>;
export type RegretEstimate = z.infer<typeof estimate>;
export type RegretBounds = z.infer<typeof bounds>;
