/** Pass rates learned from outcomes on top of a benchmark: Beta posteriors. */
import { incompleteBeta, logBeta } from "./incomplete-beta.ts";
import type { Interval } from "./interval.ts";

interface BetaPosterior {
  readonly a: number;
  readonly b: number;
}

/** Number of outcomes that the benchmark weighs as much as. */
const PRIOR_WEIGHT = 20;

/** Σ of weights of passes and of fails. */
interface Outcomes {
  readonly passes: number;
  readonly fails: number;
}

/**
 * Outcomes weighted 2^(−age / half-life). Only data decay, not the prior, so silence returns to the benchmark. Ages and
 * half-life in the same unit.
 */
export function decayed(
  outcomes: readonly { readonly passed: boolean; readonly age: number }[],
  halfLife: number,
): Outcomes {
  if (!(halfLife > 0)) throw new RangeError(`not a half-life: ${halfLife}`);
  let passes = 0;
  let fails = 0;
  for (const { passed, age } of outcomes) {
    if (!(age >= 0)) throw new RangeError(`not an age: ${age}`);
    const weight = 2 ** (-age / halfLife);
    if (passed) passes += weight;
    else fails += weight;
  }
  return { passes, fails };
}

/** `benchmark` in (0, 1) is the rate assumed before any outcome. */
export function betaPosterior(benchmark: number, { passes, fails }: Outcomes): BetaPosterior {
  if (!(benchmark > 0 && benchmark < 1)) throw new RangeError(`not a rate to start from: ${benchmark}`);
  if (!(passes >= 0 && fails >= 0)) throw new RangeError(`not outcomes: ${passes} passes and ${fails} fails`);
  return { a: PRIOR_WEIGHT * benchmark + passes, b: PRIOR_WEIGHT * (1 - benchmark) + fails };
}

export function posteriorMean({ a, b }: BetaPosterior): number {
  return a / (a + b);
}

/** The central interval. */
export function posteriorInterval(posterior: BetaPosterior, confidence = 0.95): Interval {
  if (!(confidence > 0 && confidence < 1)) throw new RangeError(`no interval at confidence ${confidence}`);
  return {
    low: betaQuantile((1 - confidence) / 2, posterior),
    high: betaQuantile((1 + confidence) / 2, posterior),
  };
}

/** By bisection on the distribution function; accurate to about 1e-12. */
export function betaQuantile(p: number, { a, b }: BetaPosterior): number {
  if (!(p >= 0 && p <= 1)) throw new RangeError(`not a probability: ${p}`);
  let low = 0;
  let high = 1;
  while (high - low > 1e-14) {
    const middle = (low + high) / 2;
    if (incompleteBeta(middle, a, b) < p) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/**
 * P(rate of `one` > rate of `other`): ∫ f(x)·F(x) dx on the logit scale, where every Beta density is smooth and the
 * trapezoid rule converges exponentially; accurate to about 1e-8.
 */
export function probabilityBetter(one: BetaPosterior, other: BetaPosterior): number {
  // Steps follow the density, so the density is that of the narrower of the two.
  if (one.a + one.b < other.a + other.b) return 1 - probabilityBetter(other, one);
  const { a, b } = one;
  const scale = logBeta(a, b);
  const logDensity = (t: number): number => -a * softplus(-t) - b * softplus(t) - scale;
  const mode = Math.log(a / b);
  const [from, to] = [faded(logDensity, mode, -1), faded(logDensity, mode, 1)];
  const steps = Math.ceil(Math.max(LEAST_STEPS, (to - from) / WIDEST_STEP));
  const step = (to - from) / steps;
  let sum = 0;
  for (let i = 0; i <= steps; i++) {
    const t = from + i * step;
    sum += Math.exp(logDensity(t)) * incompleteBeta(1 / (1 + Math.exp(-t)), other.a, other.b);
  }
  return Math.min(1, sum * step);
}

const LEAST_STEPS = 400;
const WIDEST_STEP = 0.1;

/** ln(1 + e^t) without overflow. */
function softplus(t: number): number {
  return Math.max(t, 0) + Math.log1p(Math.exp(-Math.abs(t)));
}

/** Where the density has fallen to e^−36 of its mode, in a direction. */
function faded(logDensity: (t: number) => number, mode: number, direction: 1 | -1): number {
  const floor = logDensity(mode) - 36;
  let reach = 0.001;
  while (logDensity(mode + direction * reach) > floor) reach *= 1.5;
  return mode + direction * reach;
}
