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

export interface Rig {
  /** Calls a route. Rejects with `RigError` where no candidate answered, `RigConfigError` where the rig has no routes. */
  run<T = unknown>(route: string, options: Whole<RunOptions>): Promise<RunResult<T>>;
  run<T = unknown>(route: string, options: Streaming<RunOptions>): Promise<RigStream<T>>;
  /** Calls a route that is declared in code, in this process. */
  runBundle<T = unknown>(bundle: RouteBundle, options: Whole<RunOptions>): Promise<RunResult<T>>;
  runBundle<T = unknown>(bundle: RouteBundle, options: Streaming<RunOptions>): Promise<RigStream<T>>;
  /** Calls one model. */
  runRaw<T = unknown>(options: RawOptions): Promise<RunResult<T>>;
  runRawStream<T = unknown>(options: RawOptions): Promise<RigStream<T>>;
  /** Records a call your code made itself. Synchronous; never throws. */
  recordCall(input: RecordCallInput): RecordedCallRef;
  /** Records a judgment; answers its id, `null` where it does not fit. Synchronous; never throws. */
  grade(subject: GradeSubject, options: GradeOptions): string | null;
  /** Asks captured inputs again, through a variant. */
  replay(route: string, options: ReplayOptions): Promise<readonly ReplaySample[]>;
  readonly artifacts: { readonly run: RunApi; readonly artifact: ArtifactApi };
  /** Reads the routes now, so that a fault in them shows at start. */
  ready(): Promise<void>;
  /** Sends what is recorded, once through. */
  flush(): Promise<void>;
  /** Waits for calls in flight, sends what it can within `closeTimeoutMs`; the rest stays on the disk. */
  close(): Promise<void>;
}
