import type { Principal } from "./principal.ts";
import type { Scope } from "./scope.ts";

export function can(principal: Pick<Principal, "scopes">, scope: Scope): boolean {
  return principal.scopes.includes(scope) || principal.scopes.includes("admin");
}

/** `now` in epoch milliseconds. A key is refused from the very millisecond of its expiry. */
export function isExpired(principal: Pick<Principal, "expiresAt">, now: number): boolean {
  return principal.expiresAt !== undefined && now >= principal.expiresAt;
}
