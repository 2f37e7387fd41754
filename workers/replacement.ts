import type { CompiledBundle } from "../src/config/config.ts";

/** What `modelrig dev` puts in the place of the routes and the configuration that the Worker started with. */
export interface Replacement {
  readonly compiled: CompiledBundle;
  /** Provider keys by the name of their variable: every one that is set. */
  readonly secrets: Readonly<Record<string, string>>;
}
