/** How calls are made: by the engine in this process, or by the gateway. Both answer the same. */

import type { NarrowedRoute } from "../../route/narrow.ts";
import type { JsonSchema } from "../../wire/chat.ts";
import type { Marks } from "../marks.ts";
import type { RunResult } from "./result.ts";
import type { StreamSource } from "./stream.ts";

export interface CallOptions {
  readonly marks: Marks;
  readonly arm: string | undefined;
  readonly signal: AbortSignal | undefined;
}

export interface RouteCall extends CallOptions {
  readonly route: string;
  readonly variant: string | undefined;
  readonly input: Readonly<Record<string, unknown>>;
}

interface RawTarget {
  readonly provider: string;
  readonly model: string;
}

export interface RawCall extends CallOptions {
  readonly target: RawTarget;
  /** An OpenAI chat body without `model` and `stream`. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly schema: JsonSchema | undefined;
}

/** Every method rejects with `RigError` where the call fails. */
export interface CallHost {
  run(call: RouteCall): Promise<RunResult>;
  /** Resolves with the first content. */
  stream(call: RouteCall): Promise<StreamSource>;
  raw(call: RawCall): Promise<RunResult>;
  rawStream(call: RawCall): Promise<StreamSource>;
}

/** A host that can also run a route it was handed. */
export interface BundleHost extends CallHost {
  runNarrowed(route: NarrowedRoute, call: Omit<RouteCall, "route" | "variant">): Promise<RunResult>;
  streamNarrowed(route: NarrowedRoute, call: Omit<RouteCall, "route" | "variant">): Promise<StreamSource>;
}
