/**
 * Tests whether regret has grown: the recent window against the trailing one that ends where it begins. Comparing a
 * recent point with the trailing band alarms far too often, because the recent window has its own variance; so the
 * difference is tested. A change of grader or reference starts new windows.
 */
import { type ClusteredValue, clusteredMean } from "./clustered.ts";
import type { Interval } from "./interval.ts";
import type { Pair } from "./paired-regret.ts";
import { pseudoPair } from "./pseudo-pair.ts";
import { tQuantile } from "./student-t.ts";

/** A window with fewer pairs gives no result, which is not the same as "no drift". */
const LEAST_RECENT = 30;
const LEAST_TRAILING = 100;

/** Welch's interval detects more; the pseudo-pair variance is stricter where almost nothing disagrees. */
type DriftMethod = "welch" | "pseudo_pair";

type Drift =
  | { readonly status: "insufficient"; readonly recent: number; readonly trailing: number }
  | {
      readonly status: "drifted" | "steady";
      readonly method: DriftMethod;
      readonly recent: number;
      readonly trailing: number;
      readonly recentMean: number;
      readonly trailingMean: number;
      /** Recent − trailing, two-sided. */
      readonly interval: Interval;
    };

/** Drifted = the lower bound of the growth is above 0 and the recent regret above `epsilon`. */
export function regretDrift(
  recent: readonly Pair[],
  trailing: readonly Pair[],
  options: { readonly epsilon: number; readonly method?: DriftMethod | undefined; readonly confidence?: number },
): Drift {
  const counts = { recent: recent.length, trailing: trailing.length };
  if (recent.length < LEAST_RECENT || trailing.length < LEAST_TRAILING) return { status: "insufficient", ...counts };
  const { epsilon, method = "welch", confidence = 0.95 } = options;
  const interval = regretDifference(recent, trailing, method, confidence);
  if (interval === undefined) return { status: "insufficient", ...counts };
  const [recentMean, trailingMean] = [windowOf(recent, method).mean, windowOf(trailing, method).mean];
  const drifted = interval.low > 0 && recentMean > epsilon;
  return { status: drifted ? "drifted" : "steady", method, ...counts, recentMean, trailingMean, interval };
}

/**
 * Two-sided interval of the mean regret of `recent` − that of `trailing`. Undefined where either has fewer than two
 * clusters: one has no spread to test with.
 */
function regretDifference(
  recent: readonly Pair[],
  trailing: readonly Pair[],
  method: DriftMethod,
  confidence: number,
): Interval | undefined {
  if (recent.length === 0 || trailing.length === 0) return undefined;
  const [now, before] = [windowOf(recent, method), windowOf(trailing, method)];
  return now.degrees < 1 || before.degrees < 1 ? undefined : difference(now, before, (1 + confidence) / 2);
}

interface Window {
  readonly mean: number;
  /** The centre of the difference; pseudo-pairs pull it towards 0. */
  readonly centre: number;
  readonly error: number;
  readonly degrees: number;
}

/** Welch's interval (1947, Biometrika 34:28) with Satterthwaite's degrees of freedom. */
function difference(now: Window, before: Window, p: number): Interval {
  const between = now.centre - before.centre;
  const [a, b] = [now.error ** 2, before.error ** 2];
  if (a + b === 0) return { low: between, high: between };
  const reach = tQuantile(p, (a + b) ** 2 / (a ** 2 / now.degrees + b ** 2 / before.degrees)) * Math.sqrt(a + b);
  return { low: between - reach, high: between + reach };
}

function windowOf(pairs: readonly Pair[], method: DriftMethod): Window {
  const values = pairs.map(({ d, cluster, weight }, i): ClusteredValue => {
    if (!(d >= -1 && d <= 1)) throw new RangeError(`not a difference of scores: ${d}`);
    return { value: d, weight: weight ?? 1, cluster: cluster ?? i };
  });
  const own = clusteredMean(values);
  const alone = clusteredMean(values.map((value, i) => ({ ...value, cluster: i })));
  const error = Math.max(own.error, alone.error);
  const window = { mean: own.mean, degrees: own.clusters - 1 };
  if (method === "welch") return { ...window, centre: own.mean, error };
  const weight = values.reduce((sum, value) => sum + value.weight, 0);
  const meanSquare = values.reduce((sum, value) => sum + value.weight * value.value ** 2, 0) / weight;
  const guarded = pseudoPair({ n: pairs.length, mean: own.mean, meanSquare });
  const deff = alone.error > 0 ? error / alone.error : 1;
  return { ...window, centre: guarded.mean, error: guarded.error * deff };
}
