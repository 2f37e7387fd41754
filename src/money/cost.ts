import { type BillableInput, type BillableOutput, billableInput, billableOutput, promptTokens } from "./billable.ts";
import { scaledInteger } from "./decimal.ts";
import { type NanoUsd, nanoUsd } from "./nano-usd.ts";
import type { Cost, Price, Rate, ServiceTier, TokenBound, TokenRates } from "./price.ts";
import type { Usage } from "./usage.ts";

/**
 * Amounts are exact integers until the one rounding at the end: a rate in 10^-24 USD per million tokens times a tier
 * multiplier in 10^-9. One token at such a rate is a "grain" of 10^-39 USD, so a nano-dollar is 10^30 grains.
 */
const RATE_DECIMALS = 24;
const MULTIPLIER_DECIMALS = 9;
const ONE = 10n ** BigInt(MULTIPLIER_DECIMALS);
const GRAINS_PER_NANO = 10n ** 30n;

/** Highest cost of a single call, dollars: a larger figure is a mistake and would spoil every sum that contains it. */
export const MOST_COST_USD = 10_000;
export const MOST_COST: NanoUsd = nanoUsd(MOST_COST_USD * 1e9);

type RateName = keyof TokenRates;

/** For a kind of token without a rate of its own, the next more general kind whose rate applies. */
const FALLBACK: Readonly<Record<RateName, RateName | undefined>> = {
  input: undefined,
  output: undefined,
  cacheRead: "input",
  cacheWrite: "input",
  cacheWrite1h: "cacheWrite",
  inputAudio: "input",
  inputImage: "input",
  inputVideo: "input",
  cacheReadAudio: "cacheRead",
  outputAudio: "output",
  outputImage: "output",
  outputReasoning: "output",
  outputCitation: "output",
};

/** An hour's write is 2 × the input price, a five-minute write 1.25 × (Anthropic, prompt caching, 2026-11): 8 to 5. */
const HOUR_TO_MINUTES = [8n, 5n] as const;

const OUTPUT_RATES: readonly RateName[] = ["output", "outputAudio", "outputImage", "outputReasoning", "outputCitation"];
const INPUT_RATES = (Object.keys(FALLBACK) as RateName[]).filter((name) => !OUTPUT_RATES.includes(name));

/**
 * Returns the cost of one upstream request, from its normalised usage, its dated price and the tier that served it. A
 * total reported by the provider (`usage.reportedUsd`) is the bill and takes precedence; one that is more than
 * `PLAUSIBLE_FACTOR` times above or below the computed cost is doubted, and the larger figure counts. Returns
 * `undefined` when a needed figure is unknown: an unpriced model, an unreported count, searches or another tool of the
 * provider without a price; also
 * when the reported total is above `MOST_COST_USD`.
 */
export function cost(price: Price | undefined, usage: Usage, tier: ServiceTier): Cost | undefined {
  const computed = price && computedCost(price, usage, tier);
  if (usage.reportedUsd !== undefined && usage.reportedUsd > MOST_COST_USD) return undefined;
  const reported = reportedTotal(usage.reportedUsd);
  if (reported === undefined) return computed;
  // A reported zero alone does not make a call free: a priced model whose cost cannot be computed stays unknown.
  if (computed === undefined) return reported === 0 && price !== undefined ? undefined : { total: reported };
  const [low, high] = reported < computed.total ? [reported, computed.total] : [computed.total, reported];
  if (high <= low * PLAUSIBLE_FACTOR || high - low <= 1) return { ...computed, total: reported };
  return { ...computed, total: nanoUsd(high), implausible: true };
}

/** Returns the cost as the bill of a call; undefined above `MOST_COST_USD`, which only mistaken counts can give. */
export function credible(priced: Cost | undefined): Cost | undefined {
  return priced === undefined || priced.total > MOST_COST ? undefined : priced;
}

/** Discounts, fees and stale list prices stay within this factor of a model's price. */
const PLAUSIBLE_FACTOR = 10;

/**
 * Returns an upper bound of the cost of any request within `bound`, whatever part of it is cached, written to a cache,
 * audio, image or reasoning, and whether the requested or the standard tier serves it. Rounded up.
 */
export function worstCase(price: Price, bound: TokenBound, tier: ServiceTier): NanoUsd {
  const dearest = (names: readonly RateName[]): bigint =>
    names.reduce((most, name) => {
      const rate = max(
        highestRate(price, tier, name, bound.inputTokens),
        highestRate(price, "standard", name, bound.inputTokens),
      );
      return max(most, rate);
    }, 0n);
  const grains =
    whole(bound.inputTokens) * dearest(INPUT_RATES) +
    whole(bound.outputTokens) * whole(bound.choices) * dearest(OUTPUT_RATES) +
    flatGrains(price.perRequest, 1) +
    flatGrains(price.perSearch, bound.searches ?? 0);
  const nano = (grains + GRAINS_PER_NANO - 1n) / GRAINS_PER_NANO;
  // Beyond nine million dollars the figure only has to exceed every limit.
  return nanoUsd(Number(nano > BigInt(Number.MAX_SAFE_INTEGER) ? BigInt(Number.MAX_SAFE_INTEGER) : nano));
}

function computedCost(price: Price, usage: Usage, tier: ServiceTier): Cost | undefined {
  const input = billableInput(usage.input) ?? unbilled(NO_INPUT, price.input);
  const output = billableOutput(usage.output) ?? unbilled(NO_OUTPUT, price.output);
  const searches = usage.searches ?? 0;
  if (!input || !output || !(searches >= 0) || (searches > 0 && price.perSearch === undefined)) return undefined;
  // A cache write for an hour costs more than one for minutes; without either price, the cost is unknown.
  if (input.cacheWrite1h > 0 && price.cacheWrite1h === undefined && price.cacheWrite === undefined) return undefined;
  const prompt = promptTokens(input);
  const rate = (name: RateName) => rateAt(price, tier, name, prompt);
  const inputGrains = grainsOfInput(input, rate);
  const outputGrains = grainsOfOutput(output, rate);
  const tools = grainsOfTools(price, usage);
  if (tools === undefined) return undefined;
  const flat = flatGrains(price.perRequest, 1) + flatGrains(price.perSearch, Math.ceil(searches)) + tools;
  const total = halfUp(inputGrains + outputGrains + flat);
  if (total === undefined) return undefined;
  return { total, input: halfUp(inputGrains), output: halfUp(outputGrains) };
}

/** Returns undefined where a tool that ran has no price. */
function grainsOfTools(price: Price, usage: Usage): bigint | undefined {
  let grains = 0n;
  for (const [tool, times] of Object.entries(usage.providerTools ?? {})) {
    const usd = price.perTool && Object.hasOwn(price.perTool, tool) ? price.perTool[tool] : undefined;
    if (usd === undefined) return undefined;
    grains += flatGrains(usd, times);
  }
  return grains;
}

const NO_INPUT: BillableInput = {
  uncached: 0,
  cacheRead: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  audio: 0,
  image: 0,
  video: 0,
  cachedAudio: 0,
};
const NO_OUTPUT: BillableOutput = { total: 0, reasoning: 0, audio: 0, image: 0, citation: 0 };

/** A direction that is free needs no count: embeddings report no answer tokens. */
function unbilled<T>(nothing: T, rate: Rate): T | undefined {
  return rate.base === 0 && rate.tiers.length === 0 ? nothing : undefined;
}

function grainsOfInput(input: BillableInput, rate: (name: RateName) => bigint): bigint {
  const uncached = spread(
    input.uncached,
    [
      { tokens: input.audio - input.cachedAudio, rate: rate("inputAudio") },
      { tokens: input.image, rate: rate("inputImage") },
      { tokens: input.video, rate: rate("inputVideo") },
    ],
    rate("input"),
  );
  return (
    uncached +
    BigInt(input.cacheRead - input.cachedAudio) * rate("cacheRead") +
    BigInt(input.cachedAudio) * rate("cacheReadAudio") +
    BigInt(input.cacheWrite5m) * rate("cacheWrite") +
    BigInt(input.cacheWrite1h) * rate("cacheWrite1h")
  );
}

function grainsOfOutput(output: BillableOutput, rate: (name: RateName) => bigint): bigint {
  return spread(
    output.total,
    [
      { tokens: output.audio, rate: rate("outputAudio") },
      { tokens: output.image, rate: rate("outputImage") },
      { tokens: output.reasoning, rate: rate("outputReasoning") },
      { tokens: output.citation, rate: rate("outputCitation") },
    ],
    rate("output"),
  );
}

/**
 * Returns the cost of `total` tokens: each part at its own rate, the rest as text. Overlapping parts are filled dearest
 * first.
 */
function spread(total: number, parts: readonly { tokens: number; rate: bigint }[], textRate: bigint): bigint {
  let left = total;
  let grains = 0n;
  for (const part of [...parts].sort((a, b) => (a.rate < b.rate ? 1 : a.rate > b.rate ? -1 : 0))) {
    const tokens = Math.min(left, Math.max(0, part.tokens));
    grains += BigInt(tokens) * part.rate;
    left -= tokens;
  }
  return grains + BigInt(left) * textRate;
}

/** Returns the rate for a prompt of that many tokens: the highest threshold it exceeds applies to every token. */
function rateAt(price: Price, tier: ServiceTier, name: RateName, prompt: number): bigint {
  return resolve(price, tier, name, (rate) => {
    let start = -1;
    let inForce = rate.base;
    for (const step of rate.tiers) {
      if (prompt > step.start && step.start > start) {
        start = step.start;
        inForce = step.rate;
      }
    }
    return inForce;
  });
}

/** Returns the highest rate at which any prompt of at most `prompt` tokens can be billed. */
function highestRate(price: Price, tier: ServiceTier, name: RateName, prompt: number): bigint {
  return resolve(price, tier, name, (rate) =>
    rate.tiers.reduce((most, step) => (prompt > step.start ? Math.max(most, step.rate) : most), rate.base),
  );
}

function resolve(price: Price, tier: ServiceTier, name: RateName, choose: (rate: Rate) => number): bigint {
  const own = price.tierRates?.[tier]?.[name];
  if (own) return exactRate(choose(own)) * ONE;
  const standard = price[name];
  if (standard) return exactRate(choose(standard)) * multiplierOf(price, tier);
  const next = FALLBACK[name];
  if (next === undefined) return 0n;
  const rate = resolve(price, tier, next, choose);
  return name === "cacheWrite1h" && price.cacheWrite !== undefined
    ? (rate * HOUR_TO_MINUTES[0]) / HOUR_TO_MINUTES[1]
    : rate;
}

function multiplierOf(price: Price, tier: ServiceTier): bigint {
  const multiplier = price.tierMultiplier?.[tier];
  return multiplier === undefined ? ONE : scaledInteger(multiplier, MULTIPLIER_DECIMALS);
}

/** Caches parsed rates. They come from price tables, so their number is bounded. */
const exactRates = new Map<number, bigint>();

function exactRate(rate: number): bigint {
  let exact = exactRates.get(rate);
  if (exact === undefined) {
    exact = scaledInteger(rate, RATE_DECIMALS);
    exactRates.set(rate, exact);
  }
  return exact;
}

function flatGrains(usd: number | undefined, times: number): bigint {
  return usd === undefined ? 0n : scaledInteger(usd, RATE_DECIMALS + MULTIPLIER_DECIMALS + 6) * BigInt(times);
}

function reportedTotal(usd: number | undefined): NanoUsd | undefined {
  if (usd === undefined || !Number.isFinite(usd) || usd < 0) return undefined;
  return halfUp(flatGrains(usd, 1));
}

/** Returns undefined beyond a safe integer of nano-dollars (nine million dollars). */
function halfUp(grains: bigint): NanoUsd | undefined {
  const nano = (2n * grains + GRAINS_PER_NANO) / (2n * GRAINS_PER_NANO);
  return nano > BigInt(Number.MAX_SAFE_INTEGER) ? undefined : nanoUsd(Number(nano));
}

/** Returns a bound as a whole number; "unlimited" becomes an amount above any limit. */
function whole(amount: number): bigint {
  return BigInt(Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, Math.ceil(amount))));
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
