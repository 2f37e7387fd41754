import type { FailureClass } from "../failure/failure.ts";
import type { ModelCapabilities } from "../provider/provider.ts";
import type { ReplayPayload } from "../replay/replay-payload.ts";

/**
 * The local record of one call: what was asked and what came back. It never leaves this machine except as a replay
 * to a provider. Calls that failed are kept too: a bake-off over successes only would flatter the incumbent.
 */
export interface Capture {
  readonly id: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly payload: ReplayPayload;
  readonly inferenceId: string | undefined;
  readonly route: string;
  readonly variant: string | undefined;
  readonly output: string | undefined;
  readonly outcome: "answered" | FailureClass;
  /** `provider/model` that served. */
  readonly served: string | undefined;
  /** What the candidate that served could do. */
  readonly capabilities?: ModelCapabilities | undefined;
  readonly tags: Readonly<Record<string, string>>;
}

export interface RetentionLimits {
  readonly maxAgeDays: number;
  readonly maxBytes: number;
}
