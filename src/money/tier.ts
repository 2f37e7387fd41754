import type { ServiceTier } from "./price.ts";

/** Providers' words for tiers with other prices. Every other word (`default`, `auto`, `scale`, …) is standard. */
const TIERS: Readonly<Record<string, ServiceTier>> = {
  flex: "flex",
  on_demand_flex: "flex",
  priority: "priority",
  on_demand_priority: "priority",
  batch: "batch",
};

/**
 * Returns the billing tier for a provider's own word for the tier it served. An unknown word is standard. Accepts
 * Google's enum spelling (`SERVICE_TIER_FLEX`).
 */
export function serviceTier(word: string | undefined): ServiceTier {
  const plain =
    word
      ?.trim()
      .toLowerCase()
      .replace(/^service_tier_/, "") ?? "";
  return Object.hasOwn(TIERS, plain) ? (TIERS[plain] ?? "standard") : "standard";
}
