import { withDeadline } from "../../durable/remote.ts";

/** How long a call waits for a snapshot it cannot do without. */
const PATIENCE_MS = 2_000;

interface Snapshot<T> {
  readonly takenAt: number;
  readonly value: T;
}

interface SnapshotSource<T> {
  readonly load: (org: string) => Promise<T>;
  /** What holds where nothing was ever loaded. */
  readonly empty: T;
  /** A change takes effect within this; from half of it on the snapshot is refreshed beside the calls it serves. */
  readonly ttlMs: number;
  readonly now: () => number;
  readonly onError: (error: unknown) => void;
}

/** Something small of each org, remembered in the isolate so that a warm call asks nobody for it. */
export class OrgSnapshots<T> {
  readonly #source: SnapshotSource<T>;
  readonly #snapshots = new Map<string, Snapshot<T>>();
  readonly #refreshing = new Map<string, Promise<void>>();

  constructor(source: SnapshotSource<T>) {
    this.#source = source;
  }

  /** A promise only where the snapshot is missing or too old. With the database away the last known one holds. */
  get(org: string, background: (work: Promise<unknown>) => void): T | Promise<T> {
    const { now, ttlMs, onError } = this.#source;
    const known = this.#snapshots.get(org);
    const age = known ? now() - known.takenAt : Number.POSITIVE_INFINITY;
    if (known && age < ttlMs / 2) return known.value;
    const refreshed = this.#refresh(org);
    background(refreshed);
    if (known && age < ttlMs) return known.value;
    return withDeadline(PATIENCE_MS, refreshed)
      .catch(onError)
      .then(() => this.#known(org));
  }

  /** What is known now, however old; asked for anew beside the call where it is too old to be trusted for long. */
  latest(org: string, background: (work: Promise<unknown>) => void): T {
    const known = this.#snapshots.get(org);
    const { now, ttlMs } = this.#source;
    if (!known || now() - known.takenAt >= ttlMs / 2) background(this.#refresh(org));
    return this.#known(org);
  }

  #known(org: string): T {
    return this.#snapshots.get(org)?.value ?? this.#source.empty;
  }

  /** One at a time per org; never rejects. */
  #refresh(org: string): Promise<void> {
    const running = this.#refreshing.get(org);
    if (running) return running;
    const { load, now, ttlMs, onError } = this.#source;
    const refreshing = load(org)
      .then((value) => {
        this.#snapshots.set(org, { takenAt: now(), value });
      })
      .catch((error: unknown) => {
        onError(error);
        // The database is away: what was known stays in force, and is asked for again beside later calls.
        this.#snapshots.set(org, { takenAt: now() - ttlMs / 2, value: this.#known(org) });
      })
      .finally(() => this.#refreshing.delete(org));
    this.#refreshing.set(org, refreshing);
    return refreshing;
  }
}
