/** `rig.artifacts.run`: one execution of a pipeline, and what happens in it. */

export interface RunStartOptions {
  /** Name of the pipeline, up to 200 characters. */
  readonly pipeline: string;
  /** Your own name for the attempt; groups runs, and grades may name it. */
  readonly episodeKey?: string | undefined;
  /** `production`, `staging`, … */
  readonly environment?: string | undefined;
  /** Whom or what it is about; calls inherit it as a tag. */
  readonly subject?: string | undefined;
  /** The feature it serves; calls inherit it as a tag. */
  readonly feature?: string | undefined;
  /** Calls inherit them. */
  readonly tags?: Readonly<Record<string, string>> | undefined;
  /** Your own id of the run; default: one is made. */
  readonly id?: string | undefined;
}

export type RunEndStatus = "succeeded" | "failed" | "canceled";

export interface RunHandle {
  readonly runId: string;
  /** The first end stands. */
  end(status?: RunEndStatus): void;
}

export interface RunApi {
  /**
   * Starts a run and makes it the one around everything that follows in this asynchronous context. For one run at a time;
   * runs that overlap belong in `scope`.
   */
  start(options: RunStartOptions): RunHandle;
  /**
   * Runs `work` within a run of its own. It ends `succeeded`, or `failed` where `work` throws (`canceled` on an
   * `AbortError`), unless `work` ends it itself. Overlapping scopes never see each other.
   */
  scope<T>(options: RunStartOptions, work: (run: RunHandle) => T | Promise<T>): Promise<T>;
}
