import type { NanoUsd } from "../money/nano-usd.ts";
import type { ProviderSpec } from "../provider/provider.ts";
import type { Route } from "../route/route.ts";

/** `modelrig.yaml`, validated, defaults applied, plain JSON. */
export interface Config {
  /** Declared providers, merged over the built-in table. */
  readonly providers: readonly ProviderSpec[];
  readonly budget: { readonly orgPerMonth?: NanoUsd | undefined };
  readonly limits: Limits;
  /** True when the simulated provider may serve. Off in a deployed Worker unless set. */
  readonly sim: boolean;
  /** Factor on the simulated provider's delays, 0 to 1. */
  readonly simLatency: number;
  /** Milliseconds of silence after which client streams get a comment line; 0 = off. */
  readonly keepAliveMs: number;
  /** What the local capture proxy keeps and for how long. */
  readonly capture: CaptureSettings;
  readonly cors: CorsSettings;
  /** Absent = no response is kept. */
  readonly responsesStore?: ResponsesStoreSettings | undefined;
}

/** A rule whose matches are replaced before anything is written. Exactly one of `path` and `regex` is present. */
export interface Redaction {
  /** JSON pointer into the captured variables and messages; `*` matches one step. */
  readonly path?: string | undefined;
  /** Regular expression, applied to every text with the `gu` flags. */
  readonly regex?: string | undefined;
  readonly replace: string;
}

export interface CorsSettings {
  /** Origins whose web pages may call the gateway, as a browser writes them; empty = none. */
  readonly origins: readonly string[];
}

export interface ResponsesStoreSettings {
  /** Milliseconds from the last use of a response until it is deleted. */
  readonly ttlMs: number;
}

export interface CaptureSettings {
  readonly redact: readonly Redaction[];
  readonly keepDays: number;
  /** Size of the captures file above which the oldest captures are deleted. */
  readonly maxMb: number;
}

export interface Limits {
  readonly bodyBytes: number;
  readonly headerBytes: number;
  readonly jsonDepth: number;
}

/** What the Worker is built from: the one JSON document made by `scripts/compile.ts`. */
export interface CompiledBundle {
  readonly schema: "modelrig.compiled/1";
  readonly routes: readonly Route[];
  readonly config: Config;
}
