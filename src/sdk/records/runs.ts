/** Starts and ends runs. */
import { uuidv7 } from "uuidv7";
import { type RunStart, runStart } from "../../runs/run.ts";
import type { Exporter } from "../export/exporter.ts";
import { tagsOf } from "../marks.ts";
import type { AmbientRun, RunContext } from "../run-context.ts";
import type { Warnings } from "../warnings.ts";
import type { RunApi, RunEndStatus, RunHandle, RunStartOptions } from "./run-api.ts";

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
