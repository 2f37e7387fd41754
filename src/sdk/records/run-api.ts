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
  /** Names the run in grades, in queries and at the gateway. */
  readonly runId: string;
  /**
   * Ends the run. Default `succeeded`. A second end changes nothing. Never throws.
   *
   * @example
   * const run = rig.artifacts.run.start({ pipeline: "report" });
   * run.end("failed");
   */
  end(status?: RunEndStatus): void;
}

export interface RunApi {
  /**
   * Starts a run and makes it the one around everything that follows in this asynchronous context. For one run at a time;
   * runs that overlap belong in `scope`. Never throws: what does not fit is left out, with one warning.
   *
   * @example
   * const run = rig.artifacts.run.start({ pipeline: "report", environment: "production", subject: "customer-7" });
   * await rig.run("support.classify", { input: { ticket: "My invoice is wrong." }, stepKey: "classify" });
   * run.end("succeeded");
   */
  start(options: RunStartOptions): RunHandle;
  /**
   * Runs `work` within a run of its own. It ends `succeeded`, or `failed` where `work` throws (`canceled` on an
   * `AbortError`), unless `work` ends it itself. Overlapping scopes never see each other. Resolves and rejects as `work` does.
   *
   * @example
   * const category = await rig.artifacts.run.scope({ pipeline: "report" }, async (run) => {
   *   const { output } = await rig.run<{ category: string }>("support.classify", {
   *     input: { ticket: "My invoice is wrong." },
   *     stepKey: "classify",
   *   });
   *   rig.grade({ kind: "run", id: run.runId }, { score: 1, kind: "deterministic", grader: "has-category" });
   *   return output.category;
   * });
   */
  scope<T>(options: RunStartOptions, work: (run: RunHandle) => T | Promise<T>): Promise<T>;
}
