import type { Principal } from "./principal.ts";
import type { Scope } from "./scope.ts";

/** What matters of a key that is neither revoked nor expired. */
interface LiveKey extends Pick<Principal, "keyId" | "scopes" | "fixedTags" | "rowScope"> {
  readonly display: string;
}

/** A tag that tells readers' rows apart, and the keys whose holders may write any value of it. */
interface UnfixedRows {
  readonly tag: string;
  /** As they are shown, e.g. `rig_sk_…9c4`. */
  readonly keys: readonly string[];
}

const WRITING: readonly Scope[] = ["call", "ingest"];

/** Row scopes are only as good as what writes the rows: each of their tags should be fixed on every key that writes. */
export function unfixedRows(keys: readonly LiveKey[], scopedTags: readonly string[] = []): readonly UnfixedRows[] {
  const tags = new Set([...scopedTags, ...keys.flatMap(({ rowScope }) => Object.keys(rowScope?.tags ?? {}))]);
  const writers = keys.filter(({ scopes }) => WRITING.some((scope) => scopes.includes(scope)));
  return [...tags].sort().flatMap((tag) => {
    const open = writers.filter(({ fixedTags }) => !Object.hasOwn(fixedTags, tag));
    return open.length > 0 ? [{ tag, keys: open.map(({ display }) => display) }] : [];
  });
}
