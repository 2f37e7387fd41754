import type { Context } from "hono";
import type { Scope } from "../../src/identity/scope.ts";
import type { Caller } from "../calls/call-access.ts";
import type { AppEnv } from "../context.ts";
import { requireScope } from "../http/auth.ts";

/** Who calls, checked for the scope the endpoint needs, with what a call must hold on to. */
export function callerOf(c: Context<AppEnv>, scope: Scope): Caller {
  const [runtime, principal] = [c.get("runtime"), c.get("principal")];
  requireScope(principal, scope);
  return {
    runtime,
    principal,
    background: (work) => c.executionCtx.waitUntil(work),
    signal: c.req.raw.signal,
  };
}
