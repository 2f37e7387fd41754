/** Calls of a rig, their captures, and its end. */
import type { CallPorts } from "../call/ports.ts";
import type { Config } from "../config/config.ts";
import { ALWAYS_CLOSED, clock } from "../workspace/engine-host.ts";
import type { RouteBundle } from "./calls/bundle.ts";
import type { BundleHost, CallHost, CallOptions } from "./calls/call-host.ts";
import type { CapturedCall, Captures } from "./calls/captures.ts";
import type { RigEnvelopes } from "./calls/machine-envelopes.ts";
import { type RawOptions, rawCall } from "./calls/raw.ts";
import { replay } from "./calls/replay.ts";
import type { ReplayOptions, ReplaySample } from "./calls/replay-sample.ts";
import type { RunResult } from "./calls/result.ts";
import { narrowed, type Routes } from "./calls/routes.ts";
import { type RigStream, rigStream, type StreamSource } from "./calls/stream.ts";
import type { ResolvedConfig } from "./config.ts";
import { RigConfigError } from "./errors.ts";
import type { Exporter } from "./export/exporter.ts";
import { type MarkOptions, marksOf } from "./marks.ts";
import { artifactApi } from "./records/artifacts.ts";
import { clientRecorder, withClientRecorder } from "./records/client-recorder.ts";
import { exportCall } from "./records/export-call.ts";
import { exportGrade } from "./records/export-grade.ts";
import { runApi } from "./records/runs.ts";
import { RunContext } from "./run-context.ts";
import type { Rig, RunOptions } from "./surface.ts";
import type { Warnings } from "./warnings.ts";
import { within } from "./within.ts";

interface RigParts {
  readonly settings: ResolvedConfig;
  readonly project: Config;
  readonly warn: Warnings;
  readonly exporter: Exporter;
  readonly envelopes: RigEnvelopes;
  readonly ports: CallPorts;
  readonly routes: Routes;
  readonly engine: BundleHost;
  readonly host: CallHost;
  readonly captures: Captures;
}

export function rigOf(parts: RigParts): Rig {
  const calls = new Calls(parts);
  const { exporter, warn, ports, routes, settings } = parts;
  const { context } = calls;
  const now = clock.now;
  const recording = { context, exporter, warn, now, newId: ports.newId, prices: () => ports.prices };
  const artifacts = {
    run: runApi(context, exporter, warn, now),
    artifact: artifactApi({ context, exporter, warn, now, sendsContent: settings.artifactContent }),
  };
  const rig: Rig = {
    run: calls.run.bind(calls) as Rig["run"],
    runBundle: calls.runBundle.bind(calls) as Rig["runBundle"],
    runRaw: calls.runRaw.bind(calls) as Rig["runRaw"],
    runRawStream: calls.runRawStream.bind(calls) as Rig["runRawStream"],
    recordCall: (input) => exportCall(input, recording),
    grade: (subject, options) => exportGrade(subject, options, recording),
    replay: (route, options) => calls.replay(route, options),
    artifacts,
    ready: () => routes.ready(),
    flush: () => exporter.flush(),
    close: () => calls.close(),
  };
  if (!settings.record) return rig;
  const { providers } = ports;
  return withClientRecorder(rig, clientRecorder({ ...recording, artifact: artifacts.artifact, providers }));
}

class Calls {
  readonly context = new RunContext();
  readonly #parts: RigParts;
  readonly #inFlight = new Set<Promise<unknown>>();
  #closing: Promise<void> | undefined;

  constructor(parts: RigParts) {
    this.#parts = parts;
  }

  async run(route: string, options: RunOptions): Promise<RunResult | RigStream> {
    const { host, routes, settings } = this.#parts;
    const call = { ...this.#options(options), route, variant: options.variant, input: options.input };
    // Through the gateway the route is its own; what this folder says of it decides on captures only.
    const known = settings.via === "gateway" ? await routes.find(route) : await routes.named(route);
    const captured = known?.capture ? { ...call, variant: options.variant ?? "default" } : undefined;
    if (options.stream) return await this.#stream(() => host.stream(call), captured && capturedCall(captured));
    return await this.#whole(() => host.run(call), captured && capturedCall(captured));
  }

  async runBundle(bundle: RouteBundle, options: RunOptions): Promise<RunResult | RigStream> {
    const { engine, routes, settings } = this.#parts;
    if (settings.via === "gateway") {
      const why = "a bundle in code runs in this process, and this rig sends its calls through the gateway";
      throw new RigConfigError("routes.bundle", why, "deploy the route, or make a rig without via: gateway");
    }
    const call = { ...this.#options(options), input: options.input };
    const route = narrowed(await routes.ofBundle(bundle), options.variant);
    const { name, capture } = route.route;
    const captured = capture ? capturedCall({ ...call, route: name, variant: route.variant }) : undefined;
    if (options.stream) return await this.#stream(() => engine.streamNarrowed(route, call), captured);
    return await this.#whole(() => engine.runNarrowed(route, call), captured);
  }

  async runRaw(options: RawOptions): Promise<RunResult> {
    const call = rawCall(options, this.#options(options).marks);
    return await this.#whole(() => this.#parts.host.raw(call), undefined);
  }

  async runRawStream(options: RawOptions): Promise<RigStream> {
    const call = rawCall(options, this.#options(options).marks);
    return await this.#stream(() => this.#parts.host.rawStream(call), undefined);
  }

  async replay(name: string, options: ReplayOptions): Promise<readonly ReplaySample[]> {
    const { routes, ports, project, captures } = this.#parts;
    this.#requireOpen();
    const route = await routes.named(name);
    const pass = replay(route, options, {
      // A replay measures what a candidate does, also while it is failing.
      calls: { ...ports, breakers: ALWAYS_CLOSED },
      orgPerMonth: project.budget.orgPerMonth,
      captures: async (asked, limit) => (await captures.store()).list({ route: asked, limit }),
    });
    return await this.#tracked(pass);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { exporter, envelopes, captures, settings } = this.#parts;
    const deadline = clock.now() + settings.closeTimeoutMs;
    await within(Promise.allSettled(this.#inFlight), deadline - clock.now());
    await within(envelopes.close(), deadline - clock.now());
    await exporter.close(Math.max(0, deadline - clock.now()));
    captures.close();
  }

  #options(options: MarkOptions & { readonly arm?: string | undefined; readonly signal?: AbortSignal | undefined }) {
    this.#requireOpen();
    const marks = marksOf(options, this.context, this.#parts.warn);
    return { marks, arm: options.arm, signal: options.signal } satisfies CallOptions;
  }

  #requireOpen(): void {
    if (this.#closing) throw new RigConfigError("rig.closed", "the rig is closed");
  }

  async #whole(call: () => Promise<RunResult>, captured: CapturedCall | undefined): Promise<RunResult> {
    const { captures } = this.#parts;
    try {
      const result = await this.#tracked(call());
      if (captured) await captures.answered(captured, result);
      return result;
    } catch (cause) {
      if (captured) await captures.failed(captured, cause);
      throw cause;
    }
  }

  async #stream(call: () => Promise<StreamSource>, captured: CapturedCall | undefined): Promise<RigStream> {
    const { captures } = this.#parts;
    try {
      const source = await this.#tracked(call());
      return rigStream(captured ? capturing(source, captured, captures) : source);
    } catch (cause) {
      if (captured) await captures.failed(captured, cause);
      throw cause;
    }
  }

  async #tracked<T>(work: Promise<T>): Promise<T> {
    this.#inFlight.add(work);
    try {
      return await work;
    } finally {
      this.#inFlight.delete(work);
    }
  }
}

function capturedCall(call: {
  readonly route: string;
  readonly variant: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly marks: { readonly tags: Readonly<Record<string, string>> };
}): CapturedCall {
  return { route: call.route, variant: call.variant, variables: call.input, tags: call.marks.tags };
}

function capturing(source: StreamSource, call: CapturedCall, captures: Captures): StreamSource {
  return {
    inferenceId: source.inferenceId,
    served: source.served,
    read: () => source.read(),
    cancel: () => source.cancel(),
    async end() {
      try {
        const result = await source.end();
        await captures.answered(call, result);
        return result;
      } catch (cause) {
        await captures.failed(call, cause);
        throw cause;
      }
    },
  };
}
