/** Figures of one arm, and of a challenger's cost beside the incumbent's. */
import { z } from "zod";
import { STOP_REASONS } from "../execution/bakeoff-run.ts";
import { QUALITY_METRICS } from "../execution/sample.ts";
import { count, fraction, name, rung, spentUsdText } from "../report/report-fields.ts";

/** Spend ÷ counted outputs × 1000, in dollars. The interval needs n ≥ 30 and 10 counted outputs. */
const usdPer1k = z.strictObject({
  usd_per_1k: z.number().nonnegative(),
  low: z.number().optional(),
  high: z.number().optional(),
});

const costRatio = z.strictObject({
  ratio: z.number().nonnegative(),
  /** Each one-sided at `level`; absent where the samples are too few to hold an interval. */
  low: z.number().optional(),
  high: z.number().optional(),
  level: z.number().positive().max(0.5),
  /**
   * With the caches that the calls met, or as if there had been none: the one less favourable to the challenger decides.
   * Absent = no cache was met.
   */
  caches: z.enum(["as_billed", "uncached"]).optional(),
});

/** 95%, from the ranks of the sample; absent where it is too small to have such ranks. */
const quantileBounds = z.strictObject({ low: z.number(), high: z.number() }).optional();

export const armReport = z.strictObject({
  arm: name,
  role: z.enum(["incumbent", "challenger", "reference"]),
  candidates: z.array(name),
  complete: z.boolean(),
  /** Why the arm has fewer samples than inputs. */
  stopped: z.enum(STOP_REASONS).optional(),
  /** Sent upstream; every failure among them is in the denominator of `conformance`. */
  sent: count,
  /** Brought an output that could be held against the schema. */
  graded: count,
  conformant: count,
  /** conformant ÷ sent, Wilson 95%. Absent where nothing was sent or the route declares no schema. */
  conformance: z.strictObject({ rate: fraction, low: fraction, high: fraction }).optional(),
  /**
   * Mean score of the samples that the report's metric could score, 95%: Wilson's interval on the sum of the scores,
   * exact for 0/1 scores and wider than needed for others, since no score in [0, 1] varies more than a 0/1 one.
   */
  quality: z
    .strictObject({ metric: z.enum(QUALITY_METRICS), n: count, mean: fraction, low: fraction, high: fraction })
    .optional(),
  /** Samples whose score reaches the route's quality gate, of those sent; Wilson 95%. */
  passing: z.strictObject({ min_score: fraction, count, rate: fraction, low: fraction, high: fraction }).optional(),
  /**
   * Outputs that the judge passed, of those it scored; and that share corrected for what it gets wrong beside people,
   * 95%. Absent where no judge measured; not corrected where too few outputs were graded by people, or where the judge is
   * no better than chance beside them.
   */
  judged: z
    .strictObject({
      passed: count,
      of: count,
      corrected: z.strictObject({ rate: fraction, low: fraction, high: fraction }).optional(),
    })
    .optional(),
  repair: z.strictObject({ count, rate: fraction.optional(), cost_usd: spentUsdText }),
  rungs: z.partialRecord(rung, count),
  /** Of samples that brought an answer. */
  latency_ms: z
    .strictObject({
      n: count,
      p50: z.number(),
      p95: z.number(),
      p50_bounds: quantileBounds,
      p95_bounds: quantileBounds,
    })
    .optional(),
  /** Of questions asked more than once, those whose every answer scored the same; Wilson 95%. */
  steadiness: z
    .strictObject({ questions: count, steady: count, rate: fraction, low: fraction, high: fraction })
    .optional(),
  /** As billed. */
  spend_usd: spentUsdText,
  /** The same calls by the report's one price book; and as if no cache had been met, where one was. */
  priced_usd: spentUsdText.optional(),
  uncached_usd: spentUsdText.optional(),
  /** Samples whose cost is unknown: while there are any, no rate is formed from the spend. */
  cost_unknown: count,
  cost_estimated: count,
  /** Per 1K conformant outputs. */
  effective: usdPer1k.optional(),
  /** The same as if no cache had been met; absent where none was. */
  effective_uncached: usdPer1k.optional(),
  /** Why there is no effective cost, or none with an interval. */
  effective_note: z.string().max(200).optional(),
  /** Per 1K outputs that pass the quality gate; beside `effective`, never instead of it. */
  effective_passing: usdPer1k.optional(),
  failures: z.record(z.string().max(64), count),
  value_checks: z.strictObject({ passed: count, failed: count }).optional(),
});

/** Challenger against incumbent on the inputs both were sent. `ratio` is challenger ÷ incumbent. */
export const pairReport = z.strictObject({
  arm: name,
  n_paired: count,
  /** Of the cost per conformant output. */
  cost_ratio: costRatio.optional(),
  /** The same on the other basis of caches, where a cache was met. It decides nothing. */
  cost_ratio_beside: costRatio.optional(),
  /** Of the cost per output that passes the quality gate, where the route declares one. */
  cost_ratio_passing: costRatio.optional(),
});

export type ArmReport = z.infer<typeof armReport>;
export type PairReport = z.infer<typeof pairReport>;
