import type { Principal } from "./principal.ts";
import type { Scope } from "./scope.ts";

export function can(principal: Pick<Principal, "scopes">, scope: Scope): boolean {
  return principal.scopes.includes(scope) || principal.scopes.includes("admin");
}

/** `now` in epoch milliseconds. A key is refused from the very millisecond of its expiry. */
export function isExpired(principal: Pick<Principal, "expiresAt">, now: number): boolean {
  return principal.expiresAt !== undefined && now >= principal.expiresAt;
}

/** Tags a key puts on every row it writes, over those of the request; one that sees only certain rows writes no others. */
export function writtenTags({
  fixedTags,
  rowScope,
}: Pick<Principal, "fixedTags" | "rowScope">): Readonly<Record<string, string>> {
  return { ...fixedTags, ...rowScope?.tags };
}
