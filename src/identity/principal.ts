import type { NanoUsd } from "../money/nano-usd.ts";
import type { Scope } from "./scope.ts";

/** Rows of telemetry that a key may read: those with all of these tags. */
export interface RowScope {
  readonly tags: Readonly<Record<string, string>>;
}

/** The org and permissions of a valid key. */
export interface Principal {
  readonly org: string;
  readonly orgSlug: string;
  /** Display name of the org; absent = none is set. */
  readonly orgName?: string | undefined;
  readonly keyId: string;
  /** Never empty. `admin` is expanded to every scope. */
  readonly scopes: readonly Scope[];
  /** Patterns of routes and lanes the key may call (see `reach.ts`); absent = all. */
  readonly routes?: readonly string[] | undefined;
  /** Epoch milliseconds from which the key is refused. */
  readonly expiresAt?: number | undefined;
  /** Limit of the key's own envelope per calendar month, UTC. */
  readonly monthlyLimit?: NanoUsd | undefined;
  /** Tags that override those of a request. */
  readonly fixedTags: Readonly<Record<string, string>>;
  /** Absent = all rows of the org. */
  readonly rowScope?: RowScope | undefined;
}
