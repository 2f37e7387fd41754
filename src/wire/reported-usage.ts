/** What usage objects of several dialects have in common. */
import { type JsonRecord, numberAt, recordAt, stringAt } from "../json/record.ts";

/** xAI reports its charge in units of 10⁻¹⁰ dollars. */
const XAI_TICKS_PER_USD = 1e10;

/** Tokens in a total beside prompt and answer were generated: some providers count thinking only there. */
export function leftToOutput(
  output: number | undefined,
  input: number | undefined,
  total: number | undefined,
): number | undefined {
  if (output === undefined || input === undefined || total === undefined) return output;
  return Math.max(output, total - input);
}

/**
 * The provider's reported charge. OpenRouter also repeats the upstream's share, which counts only with the user's own
 * key.
 */
export function reportedUsd(raw: JsonRecord): number | undefined {
  const ticks = numberAt(raw, "cost_in_usd_ticks");
  if (ticks !== undefined) return ticks / XAI_TICKS_PER_USD;
  const cost = dollars(raw, "cost") ?? numberAt(raw, "estimated_cost") ?? numberAt(recordAt(raw, "cost"), "total_cost");
  if (cost === undefined || raw["is_byok"] !== true) return cost;
  return cost + (numberAt(recordAt(raw, "cost_details"), "upstream_inference_cost") ?? 0);
}

function dollars(raw: JsonRecord, key: string): number | undefined {
  const text = stringAt(raw, key);
  const amount = text === undefined ? numberAt(raw, key) : Number.parseFloat(text);
  return amount !== undefined && Number.isFinite(amount) ? amount : undefined;
}
