/** The surface of a rig. */

import type { RouteBundle } from "./calls/bundle.ts";
import type { RawOptions } from "./calls/raw.ts";
import type { ReplayOptions, ReplaySample } from "./calls/replay-sample.ts";
import type { RunResult } from "./calls/result.ts";
import type { RigStream } from "./calls/stream.ts";
import type { MarkOptions } from "./marks.ts";
import type { ArtifactApi } from "./records/artifact-api.ts";
import type { RecordCallInput, RecordedCallRef } from "./records/call-report.ts";
import type { GradeOptions, GradeSubject } from "./records/grade.ts";
import type { RunApi } from "./records/run-api.ts";

export interface RunOptions extends MarkOptions {
  /** The route's variables, checked against its input schema. */
  readonly input: Readonly<Record<string, unknown>>;
  /** Default: the route as declared; through the gateway, as its live pin says. */
  readonly variant?: string | undefined;
  readonly stream?: boolean | undefined;
  /** Name of the drawn arm, kept with the call. */
  readonly arm?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

type Streaming<O> = O & { readonly stream: true };
type Whole<O> = O & { readonly stream?: false | undefined };

/**
 * What `createRig` makes. Calls reject with `RigError` (its `failureClass` is one of a closed set), or with `RigConfigError`
 * where the rig is not set up for them. What records is synchronous and never throws.
 */
export interface Rig {
  /**
   * Calls a route: its candidates in order, its retries, deadlines and limits. Resolves with the validated output and what it
   * cost, in dollars; with `stream: true`, with a `RigStream` once the first content is there. Rejects with `RigError` where
   * no route has that name or the input does not fit (`bad_request`), no candidate answered, or a limit is spent
   * (`budget_exhausted`), and with `RigConfigError` where the rig has no routes or one of them has a fault.
   *
   * @example
   * const { output, meta } = await rig.run<{ category: string }>("support.classify", {
   *   input: { ticket: "My invoice is wrong." },
   *   tags: { client: "acme" },
   *   stepKey: "classify",
   * });
   * console.log(output.category, meta.served, meta.costUsd);
   *
   * @example
   * const stream = await rig.run("support.reply", { input: { ticket: "My invoice is wrong." }, stream: true });
   * for await (const text of stream) process.stdout.write(text);
   * console.log((await stream.final).meta.costUsd);
   */
  run<T = unknown>(route: string, options: Whole<RunOptions>): Promise<RunResult<T>>;
  run<T = unknown>(route: string, options: Streaming<RunOptions>): Promise<RigStream<T>>;
  /**
   * Calls a route that is declared in code, checked as strictly as a file. Rejects as `run` does, and with `RigConfigError`
   * where the bundle has a fault or the rig sends its calls through the gateway.
   *
   * @example
   * const bundle = {
   *   route: "support.title",
   *   candidates: [{ provider: "openai", model: "gpt-5.4-mini" }],
   *   input: { type: "object", properties: { ticket: { type: "string" } }, required: ["ticket"] },
   *   template: { user: "A title of five words for: {{ ticket }}" },
   * };
   * const { text } = await rig.runBundle(bundle, { input: { ticket: "My invoice is wrong." } });
   */
  runBundle<T = unknown>(bundle: RouteBundle, options: Whole<RunOptions>): Promise<RunResult<T>>;
  runBundle<T = unknown>(bundle: RouteBundle, options: Streaming<RunOptions>): Promise<RigStream<T>>;
  /**
   * Calls one model with the messages as given, outside any route. Rejects with `RigError`: `invariant_violation` where
   * the provider is not known to enforce `responseSchema`, `bad_request` where provider or model is unknown.
   *
   * @example
   * const { text, meta } = await rig.runRaw({
   *   provider: "openai",
   *   model: "gpt-5.4-mini",
   *   messages: [{ role: "user", content: "Say hello." }],
   *   maxTokens: 100,
   * });
   */
  runRaw<T = unknown>(options: RawOptions): Promise<RunResult<T>>;
  /**
   * The same as `runRaw`, streamed. Resolves with the first content; rejects as `runRaw` does.
   *
   * @example
   * const stream = await rig.runRawStream({
   *   provider: "openai",
   *   model: "gpt-5.4-mini",
   *   messages: [{ role: "user", content: "Say hello." }],
   * });
   * for await (const text of stream) process.stdout.write(text);
   */
  runRawStream<T = unknown>(options: RawOptions): Promise<RigStream<T>>;
  /**
   * Records a call that your code made itself, priced from the price book at the tier that served it. What does not fit
   * records nothing, warns once and gives `inferenceId: null`.
   *
   * @example
   * const { inferenceId } = rig.recordCall({
   *   provider: "gemini",
   *   model: "gemini-3.1-pro-preview",
   *   usage: { tokensIn: 1200, tokensOut: 80, tokensCached: 900 },
   *   latencyMs: 640,
   *   stepKey: "summarize",
   * });
   */
  recordCall(input: RecordCallInput): RecordedCallRef;
  /**
   * Records a judgment from 0 (bad) to 1 (good) on a call, a run or an artifact. Returns the grade's id, or `null` where it
   * does not fit.
   *
   * @example
   * const { meta } = await rig.run("support.classify", { input: { ticket: "My invoice is wrong." } });
   * rig.grade({ kind: "inference", id: meta.inferenceId }, { score: 1, kind: "human", grader: "ann" });
   */
  grade(subject: GradeSubject, options: GradeOptions): string | null;
  /**
   * Asks the captured inputs of a route again, through one of its variants. Real calls, real bills: the pass ends, with one
   * `refused` sample, where `envelopeUsd` (dollars) cannot take the next call. Captures are those of calls made here on
   * routes with `capture: true`, kept by the package `modelrig`; without that package it rejects with `RigConfigError`, on
   * an unknown route or variant with `RigError`.
   *
   * @example
   * await rig.run("support.classify", { input: { ticket: "My invoice is wrong." } });
   * const samples = await rig.replay("support.classify", { variant: "cheaper", lastN: 20, envelopeUsd: 0.5 });
   * for (const { outcome, meta } of samples) console.log(outcome, meta.served, meta.costUsd);
   */
  replay(route: string, options: ReplayOptions): Promise<readonly ReplaySample[]>;
  /** Runs of your pipelines, and the work products of their steps. */
  readonly artifacts: { readonly run: RunApi; readonly artifact: ArtifactApi };
  /**
   * Reads the routes now instead of at the first call. Rejects with `RigConfigError` where one of them has a fault.
   *
   * @example
   * await rig.ready();
   */
  ready(): Promise<void>;
  /**
   * Sends what is recorded, once through. Resolves also where the gateway cannot be reached; the records then stay on the
   * disk, with a warning. Never rejects.
   *
   * @example
   * rig.recordCall({ provider: "openai", model: "gpt-5.4-mini", usage: { tokensIn: 12, tokensOut: 3 } });
   * await rig.flush();
   */
  flush(): Promise<void>;
  /**
   * Waits for calls in flight and sends what it can within `closeTimeoutMs` (milliseconds); the rest stays on the disk and
   * is sent by the next process. Calls after it are refused. Never rejects.
   *
   * @example
   * await rig.close();
   */
  close(): Promise<void>;
}
