import type { Principal } from "./principal.ts";
import type { Scope } from "./scope.ts";

export function can(principal: Pick<Principal, "scopes">, scope: Scope): boolean {
  return principal.scopes.includes(scope) || principal.scopes.includes("admin");
}

/**
 * Returns the principal of a key, or why it is refused. `now` in epoch milliseconds; a key is refused from the
 * millisecond of its expiry.
 */
export function isExpired(principal: Pick<Principal, "expiresAt">, now: number): boolean {
  return principal.expiresAt !== undefined && now >= principal.expiresAt;
}

/**
 * Returns the tags that a key puts on every row it writes, over those of the request. A key with a row scope writes
 * only rows within it.
 */
export function writtenTags({
  fixedTags,
  rowScope,
}: Pick<Principal, "fixedTags" | "rowScope">): Readonly<Record<string, string>> {
  return { ...fixedTags, ...rowScope?.tags };
}
