import type { NanoUsd } from "../money/nano-usd.ts";
import type { ProviderSpec } from "../provider/provider.ts";
import type { Route } from "../route/route.ts";

/** `modelrig.yaml`, validated, defaults applied, plain JSON. */
export interface Config {
  /** Declared providers; overlay of the built-in table. */
  readonly providers: readonly ProviderSpec[];
  readonly budget: { readonly orgPerMonth?: NanoUsd | undefined };
  readonly limits: Limits;
  /** The simulated provider may serve. Off in a deployed Worker unless set. */
  readonly sim: boolean;
  /** Comment lines on long silence in client streams; milliseconds, 0 = off. */
  readonly keepAliveMs: number;
}

export interface Limits {
  readonly bodyBytes: number;
  readonly headerBytes: number;
  readonly jsonDepth: number;
}

/** What the Worker is built from: the one JSON document made by `modelrig routes compile`. */
export interface CompiledBundle {
  readonly schema: "modelrig.compiled/1";
  readonly routes: readonly Route[];
  readonly config: Config;
}
