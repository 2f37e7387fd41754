/** From samples to the figures of each arm. Every sent sample is in a denominator, whatever became of it. */
import { formatUsd } from "../money/format.ts";
import { addUsd, nanoToUsdText, ZERO_USD } from "../money/nano-usd.ts";
import { type CostSample, effectiveCost, LEAST_CONFORMANT, LEAST_SAMPLES, pairedCostRatio } from "../stats/cost.ts";
import { percentile } from "../stats/percentile.ts";
import { wilson } from "../stats/wilson.ts";
import type { Arm } from "./arm.ts";
import { MIN_PAIRS } from "./gate.ts";
import type { ArmReport, PairReport } from "./report.ts";
import type { StopReason } from "./run.ts";
import { failureKey, type Sample } from "./sample.ts";

export function summarise(
  arm: Arm,
  samples: readonly Sample[],
  stopped: StopReason | undefined,
  schemaDeclared: boolean,
): ArmReport {
  const sent = samples.filter(wasSent);
  const graded = samples.filter(({ outcome }) => outcome === "conformant" || outcome === "nonconformant");
  const conformant = samples.filter(({ outcome }) => outcome === "conformant").length;
  const answered = samples.filter(({ outcome }) => outcome !== "failed" && outcome !== "refused");
  const repaired = sent.filter(({ rung }) => rung === "syntax_repair" || rung === "model_repair").length;
  const latencies = answered.map(({ latencyMs }) => latencyMs).sort((a, b) => a - b);
  const interval = schemaDeclared ? wilson(conformant, sent.length) : undefined;
  const checks = samples.flatMap(({ checks: one }) => (one ? [one] : []));
  return {
    arm: arm.name,
    role: arm.role,
    candidates: arm.narrowed.candidates.map(({ key }) => key),
    complete: stopped === undefined,
    stopped,
    sent: sent.length,
    graded: graded.length,
    conformant,
    conformance: interval && { rate: conformant / sent.length, low: interval.low, high: interval.high },
    repair: {
      count: repaired,
      rate: sent.length === 0 ? undefined : repaired / sent.length,
      cost_usd: nanoToUsdText(addUsd(...samples.map(({ repairCost }) => repairCost))),
    },
    rungs: rungCounts(sent),
    latency_ms:
      latencies.length === 0
        ? undefined
        : { n: latencies.length, p50: percentile(latencies, 50), p95: percentile(latencies, 95) },
    spend_usd: nanoToUsdText(addUsd(...samples.map(({ cost }) => cost ?? ZERO_USD))),
    cost_unknown: sent.filter(({ cost }) => cost === undefined).length,
    cost_estimated: sent.filter(({ costEstimated }) => costEstimated).length,
    ...effectiveOf(samples, schemaDeclared),
    failures: failureCounts(samples),
    value_checks:
      checks.length === 0
        ? undefined
        : {
            passed: checks.reduce((sum, { passed }) => sum + passed, 0),
            failed: checks.reduce((sum, { failed }) => sum + failed, 0),
          },
  };
}

/** Challenger against incumbent on the inputs both were sent. */
export function compare(
  challenger: string,
  ofChallenger: readonly Sample[],
  ofIncumbent: readonly Sample[],
): PairReport {
  const incumbentByInput = new Map(ofIncumbent.filter(wasSent).map((sample) => [sample.input, sample]));
  const pairs = ofChallenger.filter(wasSent).flatMap((sample) => {
    const other = incumbentByInput.get(sample.input);
    return other ? [{ challenger: sample, incumbent: other }] : [];
  });
  const ratio =
    pairs.length < MIN_PAIRS
      ? undefined
      : pairedCostRatio(
          pairs.map((pair) => costSample(pair.challenger)),
          pairs.map((pair) => costSample(pair.incumbent)),
        );
  return {
    arm: challenger,
    n_paired: pairs.length,
    cost_ratio: ratio && { ratio: ratio.ratio, low: ratio.interval?.low, high: ratio.interval?.high },
  };
}

function effectiveOf(
  samples: readonly Sample[],
  schemaDeclared: boolean,
): Pick<ArmReport, "effective" | "effective_note"> {
  // A call that was refused on its second attempt has paid for its first.
  const paid = samples.filter((sample) => wasSent(sample) || sample.attempts > 0);
  if (!schemaDeclared) return { effective_note: "no schema to conform to" };
  if (paid.length === 0) return { effective_note: "nothing was sent" };
  const cost = effectiveCost(paid.map(costSample));
  switch (cost.status) {
    case "unpriced":
      return { effective_note: `unpriced: ${cost.missing} calls` };
    case "none_conformant":
      return { effective_note: `no conformant output for ${formatUsd(cost.spent)}` };
    case "measured": {
      const usd = cost.per1k / NANO;
      if (!cost.interval) {
        const needed = `an interval needs n ${LEAST_SAMPLES} and ${LEAST_CONFORMANT} conformant`;
        return { effective: { usd_per_1k: usd }, effective_note: needed };
      }
      return { effective: { usd_per_1k: usd, low: cost.interval.low / NANO, high: cost.interval.high / NANO } };
    }
  }
}

const NANO = 1e9;

function costSample({ cost, outcome }: Sample): CostSample {
  return { cost, conformant: outcome === "conformant" };
}

/** Refused before anything was sent: no sample of the arm, only the reason it stopped. */
function wasSent({ outcome }: Sample): boolean {
  return outcome !== "refused";
}

function rungCounts(samples: readonly Sample[]): ArmReport["rungs"] {
  const counts: ArmReport["rungs"] = {};
  for (const { rung } of samples) if (rung !== undefined) counts[rung] = (counts[rung] ?? 0) + 1;
  return counts;
}

function failureCounts(samples: readonly Sample[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { failure } of samples) {
    if (failure) counts[failureKey(failure)] = (counts[failureKey(failure)] ?? 0) + 1;
  }
  return counts;
}
