import { withDeadline } from "../durable/remote.ts";

/** Which variant a live pin puts in the place of `default`, by org; remembered in the isolate. */
export interface PinSource {
  current(org: string): Promise<readonly { readonly route: string; readonly variant: string }[]>;
}

/** A changed pin takes effect within this; from half of it on the snapshot is refreshed beside the calls it serves. */
const TTL_MS = 30_000;
/** How long a call waits for a snapshot it cannot do without. */
const PATIENCE_MS = 2_000;

interface Snapshot {
  readonly takenAt: number;
  readonly variants: ReadonlyMap<string, string>;
}

export class LivePins {
  readonly #source: PinSource;
  readonly #now: () => number;
  readonly #onError: (error: unknown) => void;
  readonly #snapshots = new Map<string, Snapshot>();
  readonly #refreshing = new Map<string, Promise<void>>();

  constructor(source: PinSource, now: () => number, onError: (error: unknown) => void) {
    this.#source = source;
    this.#now = now;
    this.#onError = onError;
  }

  /** A promise only where the snapshot is missing or too old. With the database away the last known pin holds. */
  variant(
    org: string,
    route: string,
    background: (work: Promise<unknown>) => void,
  ): string | undefined | Promise<string | undefined> {
    const known = this.#snapshots.get(org);
    const age = known ? this.#now() - known.takenAt : Number.POSITIVE_INFINITY;
    if (age < TTL_MS / 2) return known?.variants.get(route);
    const refreshed = this.#refresh(org);
    background(refreshed);
    if (age < TTL_MS) return known?.variants.get(route);
    return withDeadline(PATIENCE_MS, refreshed)
      .catch(this.#onError)
      .then(() => this.#snapshots.get(org)?.variants.get(route));
  }

  /** One at a time per org; never rejects. */
  #refresh(org: string): Promise<void> {
    const running = this.#refreshing.get(org);
    if (running) return running;
    const refreshing = this.#source
      .current(org)
      .then((pins) => {
        const variants = new Map(pins.map(({ route, variant }) => [route, variant]));
        this.#snapshots.set(org, { takenAt: this.#now(), variants });
      })
      .catch((error: unknown) => {
        this.#onError(error);
        // The database is away: what was known stays in force, and is asked for again beside later calls.
        const variants = this.#snapshots.get(org)?.variants ?? new Map<string, string>();
        this.#snapshots.set(org, { takenAt: this.#now() - TTL_MS / 2, variants });
      })
      .finally(() => this.#refreshing.delete(org));
    this.#refreshing.set(org, refreshing);
    return refreshing;
  }
}
