import type { Principal } from "./principal.ts";
import type { Scope } from "./scope.ts";

/** Facts of a key that is neither revoked nor expired. */
interface LiveKey extends Pick<Principal, "keyId" | "scopes" | "fixedTags" | "rowScope"> {
  readonly display: string;
}

/** A tag used as a row scope, and the keys whose holders may write any value of it. */
interface UnfixedRows {
  readonly tag: string;
  /** Displayed forms of the keys, e.g. `rig_sk_…9c4`. */
  readonly keys: readonly string[];
}

const WRITING: readonly Scope[] = ["call", "ingest"];

/** Returns the tags of row scopes that some writing key does not fix. Such a key can write rows into any scope. */
export function unfixedRows(keys: readonly LiveKey[], scopedTags: readonly string[] = []): readonly UnfixedRows[] {
  const tags = new Set([...scopedTags, ...keys.flatMap(({ rowScope }) => Object.keys(rowScope?.tags ?? {}))]);
  const writers = keys.filter(({ scopes }) => WRITING.some((scope) => scopes.includes(scope)));
  return [...tags].sort().flatMap((tag) => {
    const open = writers.filter(({ fixedTags }) => !Object.hasOwn(fixedTags, tag));
    return open.length > 0 ? [{ tag, keys: open.map(({ display }) => display) }] : [];
  });
}
