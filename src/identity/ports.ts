import type { Principal } from "./principal.ts";

/**
 * Returns the principal of a key's hash, or `undefined` for an unknown or revoked one. The caller checks the expiry.
 */
export interface KeyLookup {
  findByHash(hash: string): Promise<Principal | undefined>;
}
