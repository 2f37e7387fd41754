import type { CallInput, CallResult } from "../call/call.ts";
import type { Sample } from "./sample.ts";

/** What a bake-off needs of its host. */
export interface BakeoffPorts {
  /** The engine, wired to this host (`executeCall`). */
  readonly execute: (input: CallInput) => Promise<CallResult>;
  /** Uniform in [0, 1), seeded: the same seed gives the same order. */
  readonly random: () => number;
  /** Called once per finished sample, before it counts anywhere else, so that a crash loses at most what is in flight. */
  readonly onSample: (sample: Sample) => void;
}
