import type { CallInput, CallResult } from "../call/call.ts";
import type { BakeoffReport } from "./report.ts";
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

export interface BakeoffSummary {
  readonly id: string;
  readonly route: string;
  readonly finishedAt: number;
  readonly partial: boolean;
  readonly proposes: string | undefined;
}

/** Reports of one org. */
export interface BakeoffStore {
  /** Keeps a report; a newer one of the same id takes its place. */
  put(report: BakeoffReport, deed: { readonly by: string; readonly at: number }): Promise<void>;
  get(id: string): Promise<BakeoffReport | undefined>;
  /** Newest first. */
  list(filter: { readonly route?: string | undefined; readonly limit: number }): Promise<readonly BakeoffSummary[]>;
}
