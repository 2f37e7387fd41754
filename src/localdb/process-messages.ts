/** What the server and the process that runs the engine say to each other, over Node's channel between processes. */
import type { DatabaseFileFault } from "./database-file.ts";

export type HranaEndpoint = "pipeline" | "cursor";

export interface HranaAnswer {
  /** HTTP status. */
  readonly status: number;
  /** JSON; for a cursor one document a line. */
  readonly body: string;
}

/** The first argument of the process, as JSON. */
export interface ProcessOptions {
  readonly file: string;
  readonly streamIdleMs: number;
  /** Distinguishes the streams of one process from those of the next. */
  readonly generation: string;
  /** Read the whole file for damage first. */
  readonly check: boolean;
}

export type ToProcess =
  | { readonly type: "request"; readonly id: number; readonly endpoint: HranaEndpoint; readonly body: string }
  /** Nobody waits for the answer any more. */
  | { readonly type: "abandon"; readonly id: number };

export type FromProcess =
  | { readonly type: "ready" }
  | {
      readonly type: "unusable";
      readonly reason: DatabaseFileFault;
      readonly detail: string;
      readonly fix: string;
    }
  /** Sent, and flushed, before anything of the request is executed. */
  | { readonly type: "begun"; readonly id: number }
  | { readonly type: "answer"; readonly id: number; readonly answer: HranaAnswer };
