import type { FailureClass } from "../failure/failure.ts";
import type { ModelCapabilities } from "../provider/provider.ts";
import type { ReplayPayload } from "../replay/replay-payload.ts";

/**
 * The local record of one call: its input and its output. It never leaves this machine except as a replay to a
 * provider. Failed calls are kept too: a bake-off over successes alone would favour the incumbent.
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
  /** Capabilities of the candidate that served. */
  readonly capabilities?: ModelCapabilities | undefined;
  readonly tags: Readonly<Record<string, string>>;
}

export interface RetentionLimits {
  readonly maxAgeDays: number;
  readonly maxBytes: number;
}
