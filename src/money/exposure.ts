/**
 * What a provider may bill for one request, from "nothing was sent" to "usage is known". Every host books by this rule.
 */
import { cost, credible, MOST_COST, MOST_COST_USD } from "./cost.ts";
import { estimateTokens } from "./estimate.ts";
import { type NanoUsd, nanoUsd, ZERO_USD } from "./nano-usd.ts";
import type { Price, ServiceTier } from "./price.ts";
import type { Usage } from "./usage.ts";

/**
 * How far a request got, and what is known of its usage.
 * - `unsent`: no byte of it can have reached the provider.
 * - `refused`: the provider answered with an error of its own. It bills nothing but the usage it names, if any.
 * - `answered`: the answer was read to its end. Without usage the bill is unknown.
 * - `lost`: bytes of the request may have reached the provider and the answer, or its end, did not come back. Usage that was
 *   reported on the way is not the bill: the provider may have gone on.
 * - `stopped`: a stream was left, and its provider is known to stop billing then. What came is the bill, by our own count.
 */
export type Exposure =
  | { readonly type: "unsent" }
  | { readonly type: "refused"; readonly usage?: Usage | undefined }
  | { readonly type: "answered"; readonly usage: Usage | undefined; readonly hasContent: boolean }
  | { readonly type: "lost"; readonly usage?: Usage | undefined }
  | {
      readonly type: "stopped";
      readonly usage: Usage | undefined;
      readonly requestBytes: number;
      readonly streamedBytes: number;
    };

/** What to book: nothing (the reservation is released), a bill, or the whole reservation. */
export type Bill =
  | { readonly type: "none" }
  | { readonly type: "known"; readonly cost: NanoUsd; readonly usage: Usage }
  /** `atLeast`: the cost of the usage that was reported before the answer was lost. */
  | { readonly type: "unknown"; readonly usage: Usage | undefined; readonly atLeast?: NanoUsd | undefined };

/**
 * Returns what an exposure costs. `priceOf` finds the prices of models that took part in the request. An unknown price
 * makes the bill unknown, unless the provider reports its own total.
 */
export function billOf(
  exposure: Exposure,
  price: Price | undefined,
  tier: ServiceTier,
  priceOf: (model: string) => Price | undefined = () => undefined,
): Bill {
  const billed = (usage: Usage): Bill => billedUsage(usage, price, tier, priceOf);
  switch (exposure.type) {
    case "unsent":
      return { type: "none" };
    case "refused":
      return exposure.usage === undefined ? { type: "none" } : billed(exposure.usage);
    case "lost": {
      const seen = exposure.usage && billed(exposure.usage);
      return { type: "unknown", usage: exposure.usage, atLeast: seen?.type === "known" ? seen.cost : undefined };
    }
    case "stopped":
      return billed(countedUsage(exposure));
    case "answered":
      if (exposure.usage === undefined) return { type: "unknown", usage: undefined };
      if (exposure.hasContent && deniesContent(exposure.usage)) {
        return { type: "unknown", usage: { ...exposure.usage, inconsistent: true } };
      }
      return billed(exposure.usage);
  }
}

/** Returns the cost to book: zero where nothing was billed, undefined where the bill is unknown. */
export function costOfBill(bill: Bill): NanoUsd | undefined {
  if (bill.type === "none") return ZERO_USD;
  return bill.type === "known" ? bill.cost : undefined;
}

function billedUsage(
  usage: Usage,
  price: Price | undefined,
  tier: ServiceTier,
  priceOf: (model: string) => Price | undefined,
): Bill {
  const priced = credible(cost(price, usage, tier));
  if (priced === undefined) {
    const doubted = usage.reportedUsd !== undefined && usage.reportedUsd > MOST_COST_USD;
    return { type: "unknown", usage: doubted ? { ...usage, inconsistent: true } : usage };
  }
  let total: NanoUsd = usage.passes ? ZERO_USD : priced.total;
  for (const pass of usage.passes ?? []) {
    const added = cost(pass.model === undefined ? price : priceOf(pass.model), pass.usage, tier);
    if (added === undefined) return { type: "unknown", usage };
    total = nanoUsd(Math.min(Number.MAX_SAFE_INTEGER, total + added.total));
  }
  if (total > MOST_COST) return { type: "unknown", usage };
  const flagged = priced.implausible === true ? { ...usage, inconsistent: true } : usage;
  return { type: "known", cost: total, usage: flagged };
}

/** True for counts of zero beside a non-empty answer: the provider did not count. */
function deniesContent({ input, output, reportedUsd }: Usage): boolean {
  if (reportedUsd !== undefined && reportedUsd > 0) return false;
  return output.total === 0 || (input.total === 0 && (input.uncached ?? 0) === 0);
}

/** Combines the counts reported so far with our own count of the rest. */
function countedUsage({ usage, requestBytes, streamedBytes }: Extract<Exposure, { type: "stopped" }>): Usage {
  const input = usage?.input.total === undefined ? { total: estimateTokens(requestBytes) } : usage.input;
  const output = Math.max(usage?.output.total ?? 0, estimateTokens(streamedBytes));
  return { input, output: { ...usage?.output, total: output }, estimated: true, raw: usage?.raw };
}
