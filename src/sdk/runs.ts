/** `rig.artifacts.run`: one execution of a pipeline, and what happens in it. */
import { uuidv7 } from "uuidv7";
import { type RunStart, runStart } from "../runs/run.ts";
import type { Exporter } from "./exporter.ts";
import { tagsOf } from "./marks.ts";
import type { AmbientRun, RunContext } from "./run-context.ts";
import type { Warnings } from "./warnings.ts";

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

export function runApi(context: RunContext, exporter: Exporter, warn: Warnings, now: () => number): RunApi {
  const begin = (options: RunStartOptions): { readonly ambient: AmbientRun; readonly handle: RunHandle } => {
    const run = startedRun(options, warn, now());
    exporter.add({ type: "run_start", run });
    const { subject, feature } = run;
    const ambient: AmbientRun = {
      id: run.id,
      tags: { ...run.tags, ...(subject && { subject }), ...(feature && { feature }) },
      outer: context.current(),
      ended: false,
    };
    const end = (status: RunEndStatus = "succeeded"): void => {
      if (ambient.ended) return;
      ambient.ended = true;
      exporter.add({ type: "run_end", run: { id: run.id, status, endedAt: now() } });
    };
    return { ambient, handle: { runId: run.id, end } };
  };
  return {
    start(options) {
      const { ambient, handle } = begin(options);
      context.enter(ambient);
      return handle;
    },
    async scope(options, work) {
      const { ambient, handle } = begin(options);
      try {
        const value = await context.within(ambient, async () => await work(handle));
        handle.end("succeeded");
        return value;
      } catch (cause) {
        handle.end(cause instanceof Error && cause.name === "AbortError" ? "canceled" : "failed");
        throw cause;
      }
    },
  };
}

/** A run with a field that does not fit is a run without that field: the pipeline goes on. */
function startedRun(options: RunStartOptions, warn: Warnings, startedAt: number): RunStart {
  const { tags = {}, id = `run_${uuidv7()}`, pipeline, episodeKey, environment, subject, feature } = options;
  const full = { id, pipeline, episodeKey, environment, subject, feature, tags: { ...tagsOf(tags, warn) }, startedAt };
  const parsed = runStart.safeParse(full);
  if (parsed.success) return parsed.data;
  const wrong = new Set(parsed.error.issues.map(({ path }) => String(path[0])));
  warn.once("run", `a run was started with a ${[...wrong].join(", ")} that does not fit and was left out`);
  const kept = Object.fromEntries(Object.entries(full).filter(([name]) => !wrong.has(name)));
  return runStart.parse({ id: `run_${uuidv7()}`, pipeline: "unnamed", startedAt, ...kept });
}
