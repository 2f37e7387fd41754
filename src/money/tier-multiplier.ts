import type { Price } from "./price.ts";

type Multipliers = NonNullable<Price["tierMultiplier"]>;

interface TierRow {
  readonly providers: readonly string[];
  /** Model ids the row is for; the first row that matches counts. */
  readonly models?: RegExp;
  readonly multipliers: Multipliers;
}

/**
 * What flex, priority and batch cost in relation to standard. The price data has standard rates only.
 * From the providers' price pages, 2026-11; where models of a family differ, the higher figure is taken.
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
  // Azure's data zones ask 2.5 times for their newest models, and the id does not tell the zone.
  { providers: ["azure"], multipliers: { batch: 0.5, priority: 2.5 } },
  { providers: ["google"], models: /^gemini/, multipliers: { flex: 0.5, batch: 0.5, priority: 1.8 } },
  { providers: ["google"], multipliers: { batch: 0.5 } },
  { providers: ["anthropic"], multipliers: { batch: 0.5 } },
];

/** Multipliers of a model's tiers, by provider id and model id of the price data. */
export function tierMultiplier(providerId: string, model: string): Multipliers | undefined {
  const row = TIER_ROWS.find(
    ({ providers, models }) => providers.includes(providerId) && (models === undefined || models.test(model)),
  );
  return row?.multipliers;
}
