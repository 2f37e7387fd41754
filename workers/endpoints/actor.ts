import { uuidv7 } from "uuidv7";
import type { Principal } from "../../src/identity/principal.ts";
import type { Actor } from "../../src/proposal/file.ts";
import type { Runtime } from "../runtime.ts";

/** Who changes something, for the audit log. */
export function actorOf({ runtime, principal }: { readonly runtime: Runtime; readonly principal: Principal }): Actor {
  return { by: principal.keyId, at: runtime.now() };
}

/** A new id, in order of time: `run_0190…`. */
export function prefixedId(prefix: string): string {
  return `${prefix}_${uuidv7()}`;
}
