import type { Price } from "./price.ts";

type Multipliers = NonNullable<Price["tierMultiplier"]>;

interface TierRow {
  readonly providers: readonly string[];
  /** Model ids that the row covers; the first row that matches applies. */
  readonly models?: RegExp;
  readonly multipliers: Multipliers;
}

/**
 * Prices of flex, priority and batch in relation to standard; the price data has standard rates only. From the
 * providers' price pages, 2026-11. Where models of a family differ, the higher figure is used.
 */
const TIER_ROWS: readonly TierRow[] = [
  { providers: ["openai"], models: /^gpt-4o/, multipliers: { flex: 0.5, batch: 0.5, priority: 1.75 } },
  {
    providers: ["openai"],
    models: /^(?:gpt-4\.1(?:-mini)?|o3)(?:-\d|$)/,
    multipliers: { flex: 0.5, batch: 0.5, priority: 1.75 },
  },
  {
    providers: ["openai"],
    models: /^(?:gpt-5(?:\.1-codex)?-mini)/,
    multipliers: { flex: 0.5, batch: 0.5, priority: 1.8 },
  },
  { providers: ["openai"], multipliers: { flex: 0.5, batch: 0.5, priority: 2 } },
  // Azure's data zones cost 2.5 times as much for their newest models, and the id does not identify the zone.
  { providers: ["azure"], multipliers: { batch: 0.5, priority: 2.5 } },
  { providers: ["google"], models: /^gemini/, multipliers: { flex: 0.5, batch: 0.5, priority: 1.8 } },
  { providers: ["google"], multipliers: { batch: 0.5 } },
  { providers: ["anthropic"], multipliers: { batch: 0.5 } },
];

/** Returns the multipliers of a model's tiers, by provider id and model id of the price data. */
export function tierMultiplier(providerId: string, model: string): Multipliers | undefined {
  const row = TIER_ROWS.find(
    ({ providers, models }) => providers.includes(providerId) && (models === undefined || models.test(model)),
  );
  return row?.multipliers;
}
