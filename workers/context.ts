import type { Principal } from "../src/identity/principal.ts";
import type { Env } from "./bindings.ts";
import type { Runtime } from "./runtime.ts";

/** Hono's typing of every endpoint: the runtime is set by `app.ts`, the principal by `auth.ts`. */
export interface AppEnv {
  Bindings: Env;
  Variables: { runtime: Runtime; principal: Principal };
}
