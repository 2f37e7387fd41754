import type { Principal } from "./principal.ts";

/** Finds whose key a hash is. `undefined` for an unknown or revoked one; expiry is judged by the caller. */
export interface KeyLookup {
  findByHash(hash: string): Promise<Principal | undefined>;
}
