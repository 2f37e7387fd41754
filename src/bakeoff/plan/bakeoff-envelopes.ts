/** The envelopes of a bake-off: one per arm, one for the reference, one over all of it, and the judge's for its day. */
import type { EnvelopeClaim } from "../../envelope/envelope.ts";
import { envelopeClaim } from "../../envelope/period.ts";
import type { NanoUsd } from "../../money/nano-usd.ts";
import type { Arm } from "./arm.ts";

export interface BakeoffLimits {
  /** Of each variant's own replay-pass envelope. */
  readonly budgetPerArm: NanoUsd;
  /** Of the reference arm; absent = as much as a variant. */
  readonly referenceBudget?: NanoUsd | undefined;
  /** Of everything together, reference and judge included. Absent = no such limit. */
  readonly totalBudget?: NanoUsd | undefined;
  /** Of all judging within one UTC day. */
  readonly judgePerDay?: NanoUsd | undefined;
}

/** The envelope that bounds one variant of one bake-off. */
export function replayEnvelope(bakeoff: string, arm: string, limit: NanoUsd): EnvelopeClaim {
  return { scope: "replay-pass", id: `replay-pass:${bakeoff}:${arm}`, limit };
}

/** Every envelope that covers a call of this arm. */
export function armEnvelopes(bakeoff: string, arm: Pick<Arm, "name" | "role">, limits: BakeoffLimits): EnvelopeClaim[] {
  const own: EnvelopeClaim =
    arm.role === "reference"
      ? {
          scope: "reference-cycle",
          id: `reference-cycle:${bakeoff}`,
          limit: limits.referenceBudget ?? limits.budgetPerArm,
        }
      : replayEnvelope(bakeoff, arm.name, limits.budgetPerArm);
  return [own, ...totalEnvelope(bakeoff, limits)];
}

/** Every envelope that covers a call of the judge made at `now`. */
export function judgeEnvelopes(bakeoff: string, limits: BakeoffLimits, now: number): EnvelopeClaim[] {
  const day = limits.judgePerDay === undefined ? [] : [envelopeClaim("judge-day", [], limits.judgePerDay, now)];
  return [...day, ...totalEnvelope(bakeoff, limits)];
}

function totalEnvelope(bakeoff: string, { totalBudget }: BakeoffLimits): EnvelopeClaim[] {
  return totalBudget === undefined ? [] : [{ scope: "replay-pass", id: `replay-pass:${bakeoff}`, limit: totalBudget }];
}
