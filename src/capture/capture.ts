import type { FailureClass } from "../failure/failure.ts";
import type { ReplayInput } from "../replay/replay-input.ts";

/**
 * The local record of one call: what was asked and what came back. It never leaves this machine except as a replay
 * to a provider. Calls that failed are kept too: a bake-off over successes only would flatter the incumbent.
 */
export interface Capture extends ReplayInput {
  readonly inferenceId: string | undefined;
  readonly route: string;
  readonly variant: string | undefined;
  readonly output: string | undefined;
  readonly outcome: "answered" | FailureClass;
  /** `provider/model` that served. */
  readonly served: string | undefined;
  readonly tags: Readonly<Record<string, string>>;
}

export interface RetentionLimits {
  readonly maxAgeDays: number;
  readonly maxBytes: number;
}
