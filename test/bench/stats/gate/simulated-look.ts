/** A bake-off whose truth is known, in the form that every version of the gate can be given. */

export interface SimulatedInput {
  readonly question: string;
  /** Calls of the traffic that asked it. */
  readonly weight: number;
  /** Customer that asked it. */
  readonly customer?: string | undefined;
}

/** What an arm did on each input of the look, in their order. */
export interface SimulatedOutcomes {
  /** From 0 to 1. */
  readonly scores: readonly number[];
  /** Nano-dollars. */
  readonly costs: readonly number[];
}

export interface SimulatedArm extends SimulatedOutcomes {
  /** Variant name in the route file. */
  readonly name: string;
  /** What it serves: arms with the same number serve the same, whatever they are called. */
  readonly serves: number;
  /** Blanks added to its template. */
  readonly blanks?: number;
  /** True where its regret, or its cost, is not within what the route allows: proposing it is wrong. */
  readonly isForbidden: boolean;
}

export interface SimulatedLook {
  readonly bakeoff: string;
  /** Days since the first look. */
  readonly day: number;
  readonly mode: "quality-first" | "cost-first";
  /** `max_regret`, and `max_conformance_drop`. */
  readonly limit: number;
  readonly inputs: readonly SimulatedInput[];
  readonly incumbent: SimulatedOutcomes;
  readonly arms: readonly SimulatedArm[];
  /** The command runs on a machine that has no files of earlier looks. */
  readonly onNewMachine?: boolean;
  /** It began before the look before it ended. */
  readonly isConcurrent?: boolean;
}
