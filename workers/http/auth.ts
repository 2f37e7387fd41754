import type { MiddlewareHandler } from "hono";
import { can } from "../../src/identity/authorize.ts";
import type { Principal } from "../../src/identity/principal.ts";
import type { Scope } from "../../src/identity/scope.ts";
import type { AppEnv } from "../context.ts";
import type { Background, Runtime } from "../runtime.ts";
import { forbidden, unauthorized, unavailable } from "./fault.ts";

/** Sets the principal, or ends the request. */
export const authentication = (): MiddlewareHandler<AppEnv> =>
  async function authentication(c, next) {
    const background = (work: Promise<unknown>): void => c.executionCtx.waitUntil(work);
    c.set("principal", await principalOf(c.req.raw.headers, c.get("runtime"), background));
    await next();
  };

/** Whose key the headers present. Throws 401 without a valid key, 503 where keys cannot be looked up. */
export async function principalOf(headers: Headers, runtime: Runtime, background: Background): Promise<Principal> {
  const key = presentedKey(headers);
  if (key === undefined) {
    throw unauthorized("no key: send `authorization: Bearer rig_sk_…` or `x-api-key`", "missing_api_key");
  }
  const principal = await knownPrincipal(runtime, key, background);
  if (!principal) throw unauthorized("the key is unknown, revoked or expired", "invalid_api_key");
  return principal;
}

export function requireScope(principal: Principal, scope: Scope): void {
  if (!can(principal, scope)) {
    throw forbidden(`this key lacks the scope ${scope}`, "missing_scope");
  }
}

/** For what carries no tags, so that nothing tells which of it a key that sees only certain rows may see. */
export function requireEveryRow({ rowScope }: Pick<Principal, "rowScope">, what: string): void {
  if (rowScope) throw forbidden(`this key sees only rows with certain tags; ${what} carry none`, "row_scope");
}

async function knownPrincipal(runtime: Runtime, key: string, background: Background): Promise<Principal | undefined> {
  try {
    return await runtime.authenticate(key, background);
  } catch {
    // The cause may name the database; it is logged where the lookup was made.
    throw unavailable("keys cannot be checked at the moment", "keys_unavailable", 1);
  }
}

function presentedKey(headers: Headers): string | undefined {
  const bearer = /^Bearer\s+(\S+)\s*$/i.exec(headers.get("authorization") ?? "")?.[1];
  return bearer ?? (headers.get("x-api-key")?.trim() || undefined);
}
