import type { ArtifactHead } from "./ports.ts";
import type { RunStep } from "./run.ts";

/**
 * Returns a run's steps: those with calls, and those known only from an artifact, which have no figures. In order of
 * first appearance.
 */
export function stepsOf(called: readonly RunStep[], artifacts: readonly ArtifactHead[]): readonly RunStep[] {
  const steps = new Map(called.map((one) => [one.step, one]));
  for (const { step, createdAt } of artifacts) {
    if (step === undefined) continue;
    const known = steps.get(step);
    if (!known) steps.set(step, uncalled(step, createdAt));
    else if (known.inferences === 0) steps.set(step, spanning(known, createdAt));
  }
  return [...steps.values()].sort(
    (a, b) => Number(a.step === null) - Number(b.step === null) || a.startedAt - b.startedAt,
  );
}

/** Sum of the known costs in nano-dollars; `null` where none is known. */
export function runCost(steps: readonly RunStep[]): { readonly costNano: bigint | null; readonly unpriced: number } {
  let costNano: bigint | null = null;
  let unpriced = 0;
  for (const step of steps) {
    if (step.costNano !== null) costNano = (costNano ?? 0n) + step.costNano;
    unpriced += step.unpriced;
  }
  return { costNano, unpriced };
}

function uncalled(step: string, at: number): RunStep {
  return {
    step,
    inferences: 0,
    attempts: 0,
    failed: 0,
    startedAt: at,
    endedAt: at,
    latencyMs: null,
    inputTokens: null,
    outputTokens: null,
    costNano: null,
    unpriced: 0,
    simulated: false,
  };
}

function spanning(step: RunStep, at: number): RunStep {
  return { ...step, startedAt: Math.min(step.startedAt, at), endedAt: Math.max(step.endedAt, at) };
}
