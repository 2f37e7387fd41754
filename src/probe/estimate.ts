import { cost } from "../money/cost.ts";
import { type NanoUsd, nanoUsd } from "../money/nano-usd.ts";
import type { PriceBook } from "../money/price.ts";
import type { ProbedCapability } from "../registry/capability.ts";
import { type ProbeTarget, probeCalls } from "./calls.ts";
import { probesOf } from "./probe.ts";

/** Of English text and JSON. */
const BYTES_PER_TOKEN = 4;
/** What the tasks' answers take, a little reasoning included. */
const ANSWER_TOKENS = 200;

export interface ProbeEstimate {
  readonly calls: number;
  /** Absent = the model has no price. */
  readonly usd?: NanoUsd | undefined;
}

/** What probing one model takes: calls, and about what they cost by the price book of `at`. Repeats are not in it. */
export function estimateProbes(
  target: ProbeTarget,
  capabilities: readonly ProbedCapability[],
  n: number,
  prices: PriceBook,
  at: Date,
): ProbeEstimate {
  let [calls, inputTokens] = [0, 0];
  for (const capability of capabilities) {
    const asked = probeCalls(target, capability, 0, { id: "estimate", org: "local", claims: [] });
    const probes = probesOf(capability, n);
    calls += probes * asked.length;
    const bytes = asked.reduce((sum, { policy, requestFor }) => {
      const request = policy.candidates[0] && requestFor(policy.candidates[0], {});
      return sum + JSON.stringify([request, policy.output?.schema]).length;
    }, 0);
    inputTokens += (probes * bytes) / BYTES_PER_TOKEN;
  }
  const price = prices.find(target.provider, target.model, at);
  const usage = {
    input: { total: Math.ceil(inputTokens) },
    output: { total: calls * ANSWER_TOKENS },
    estimated: true,
    raw: undefined,
  };
  const usd = price && cost(price, usage, "standard")?.total;
  return { calls, usd: usd === undefined ? undefined : nanoUsd(Math.round(usd)) };
}
