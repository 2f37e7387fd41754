import { OrgSnapshots } from "./org-snapshots.ts";

/** Which variant a live pin puts in the place of `default`, by org; remembered in the isolate. */
interface PinSource {
  current(org: string): Promise<readonly { readonly route: string; readonly variant: string }[]>;
}

/** A changed pin takes effect within this. */
const TTL_MS = 30_000;

export class LivePins {
  readonly #variants: OrgSnapshots<ReadonlyMap<string, string>>;

  constructor(source: PinSource, now: () => number, onError: (error: unknown) => void) {
    this.#variants = new OrgSnapshots<ReadonlyMap<string, string>>({
      load: async (org) => new Map((await source.current(org)).map(({ route, variant }) => [route, variant])),
      empty: new Map(),
      ttlMs: TTL_MS,
      now,
      onError,
    });
  }

  /** A promise only where the snapshot is missing or too old. With the database away the last known pin holds. */
  variant(
    org: string,
    route: string,
    background: (work: Promise<unknown>) => void,
  ): string | undefined | Promise<string | undefined> {
    const variants = this.#variants.get(org, background);
    return variants instanceof Promise ? variants.then((known) => known.get(route)) : variants.get(route);
  }
}
