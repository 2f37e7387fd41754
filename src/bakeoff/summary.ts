/** From samples to the figures of each arm. Every sent sample is in a denominator, whatever became of it. */
import { addUsd, nanoToUsdText, ZERO_USD } from "../money/nano-usd.ts";
import { effectiveCost, pairedCostRatio } from "../stats/cost.ts";
import { percentile } from "../stats/percentile.ts";
import { wilson } from "../stats/wilson.ts";
import type { Arm } from "./arm.ts";
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
    rungs: countBy(sent, ({ rung }) => rung),
    latency_ms:
      latencies.length === 0
        ? undefined
        : { n: latencies.length, p50: percentile(latencies, 50), p95: percentile(latencies, 95) },
    spend_usd: nanoToUsdText(addUsd(...samples.map(({ cost }) => cost ?? ZERO_USD))),
    cost_unknown: sent.filter(({ cost }) => cost === undefined).length,
    cost_estimated: sent.filter(({ costEstimated }) => costEstimated).length,
    ...effectiveOf(sent, stopped, schemaDeclared),
    failures: countBy(samples, ({ failure }) => failure && failureKey(failure)),
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
  return { arm: challenger, n_paired: pairs.length, cost_ratio: undefined };
}

/** Refused before anything was sent: no sample of the arm, only the reason it stopped. */
function wasSent({ outcome }: Sample): boolean {
  return outcome !== "refused";
}

function countBy<K extends string>(samples: readonly Sample[], key: (sample: Sample) => K | undefined) {
  const counts: Partial<Record<K, number>> = {};
  for (const sample of samples) {
    const name = key(sample);
    if (name !== undefined) counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}
