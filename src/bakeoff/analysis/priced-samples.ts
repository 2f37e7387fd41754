/** Costs of all samples by one dated price book, worked out from their usage: bills of different days do not compare. */
import { cost } from "../../money/cost.ts";
import { addUsd, type NanoUsd } from "../../money/nano-usd.ts";
import type { PriceBook } from "../../money/price.ts";
import type { Usage } from "../../money/usage.ts";
import type { Sample, SentBill } from "../execution/sample.ts";

export interface DatedPrices {
  readonly book: PriceBook;
  readonly at: Date;
}

/** `billed`: with the caches that the calls met. `uncached`: as if every input token had been new. */
export type CacheBasis = "as_billed" | "uncached";

/** A request that the book cannot price keeps its own bill. */
export function pricedSamples(
  samples: readonly Sample[],
  prices: DatedPrices | undefined,
  caches: CacheBasis,
): readonly Sample[] {
  if (!prices) return samples;
  return samples.map((sample) => {
    if (sample.bills === undefined || sample.cost === undefined) return sample;
    const costs = sample.bills.map((bill) => costOfBill(bill, prices, caches));
    const known = costs.filter((amount) => amount !== undefined);
    return known.length < costs.length ? sample : { ...sample, cost: addUsd(...known) };
  });
}

function costOfBill({ provider, model, tier, usage, cost: billed }: SentBill, prices: DatedPrices, caches: CacheBasis) {
  const price = usage && prices.book.find(provider, model, prices.at);
  if (!price) return billed;
  const { reportedUsd: _, ...counted } = caches === "uncached" ? withoutCaches(usage) : usage;
  return (cost(price, counted, tier)?.total ?? billed) satisfies NanoUsd | undefined;
}

function withoutCaches(usage: Usage): Usage {
  const { total, audio, image, video } = usage.input;
  const passes = usage.passes?.map((pass) => ({ ...pass, usage: withoutCaches(pass.usage) }));
  return { ...usage, input: { total, audio, image, video }, ...(passes && { passes }) };
}

/** Whether a cache was met anywhere, so that the two bases differ. */
export function metCaches(samples: readonly Sample[]): boolean {
  return samples.some(({ bills }) =>
    bills?.some(({ usage }) => (usage?.input.cacheRead ?? 0) > 0 || (usage?.input.cacheWrite ?? 0) > 0),
  );
}
