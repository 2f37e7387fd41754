/** What one isolate knows of breakers: snapshots by object, and the successes it has not reported. */
import type { BreakerSnapshot } from "../src/breaker/breaker.ts";

/** A snapshot older than this is refreshed in the background while it is still acted on. */
export const SNAPSHOT_TTL_MS = 30_000;
/** Milliseconds between refreshes where something is open, so that a recovery is seen soon. */
const OPEN_SNAPSHOT_TTL_MS = 5_000;
/** A refresh ends with the request that started it; after this many milliseconds another request may try. */
const REFRESH_LAPSE_MS = 5_000;
/** Successes of a closed breaker with failures in its window are sent together, this often. */
const TALLY_EVERY_MS = 1_000;
/** Milliseconds after which successes say nothing about a failure any more: the length of the breaker's own window. */
const TALLY_WINDOW_MS = 60_000;
/**
 * Most objects, and keys of one object, that an isolate keeps. The one unused for longest is dropped, which reads as
 * closed.
 */
const MOST_ENTRIES = 5_000;

interface Tally {
  successes: number;
  since: number;
  /** True when this isolate reported a failure and no success after it. */
  failedLast: boolean;
  sentAt: number;
}

/** State known of one object. */
export class CachedBreakers {
  #snapshot: BreakerSnapshot | undefined;
  #fetchedAt = 0;
  #refreshStartedAt = Number.NEGATIVE_INFINITY;
  readonly #tallies = new Map<string, Tally>();

  /** Undefined in a cold isolate: everything counts as closed. */
  get snapshot(): BreakerSnapshot | undefined {
    return this.#snapshot;
  }

  /** Returns true once when a caller should fetch the snapshot. */
  startsRefresh(now: number): boolean {
    const ttl = this.#snapshot && Object.keys(this.#snapshot.open).length > 0 ? OPEN_SNAPSHOT_TTL_MS : SNAPSHOT_TTL_MS;
    if (this.#snapshot && now - this.#fetchedAt < ttl) return false;
    if (now - this.#refreshStartedAt < REFRESH_LAPSE_MS) return false;
    this.#refreshStartedAt = now;
    return true;
  }

  /** Stores a newer snapshot. Answers may arrive out of order; an older one counts only once the held one is stale. */
  apply(snapshot: BreakerSnapshot, now: number): void {
    const held = this.#snapshot;
    if (held && snapshot.version < held.version && now - this.#fetchedAt < SNAPSHOT_TTL_MS) return;
    this.#snapshot = snapshot;
    this.#fetchedAt = now;
    this.#refreshStartedAt = Number.NEGATIVE_INFINITY;
  }

  /**
   * Counts a success. Returns how many successes should be reported now: none while the breaker is known to be healthy,
   * all at once after a failure of this isolate, every second while others report failures.
   */
  tallySuccess(key: string, now: number): number {
    const tally = this.#tally(key, now);
    tally.successes += 1;
    const watched = this.#snapshot?.failing.includes(key) === true && now - tally.sentAt >= TALLY_EVERY_MS;
    if (!tally.failedLast && !watched) return 0;
    return this.#take(tally, now, false);
  }

  /** Counts a failure. Returns the successes before it, which are reported with it. */
  tallyFailure(key: string, now: number): number {
    return this.#take(this.#tally(key, now), now, true);
  }

  #tally(key: string, now: number): Tally {
    let tally = this.#tallies.get(key);
    if (!tally) {
      tally = { successes: 0, since: now, failedLast: false, sentAt: Number.NEGATIVE_INFINITY };
      this.#tallies.set(key, tally);
      keepNewest(this.#tallies);
    }
    if (now - tally.since >= TALLY_WINDOW_MS) {
      tally.successes = 0;
      tally.since = now;
    }
    return tally;
  }

  #take(tally: Tally, now: number, failed: boolean): number {
    const { successes } = tally;
    tally.successes = 0;
    tally.since = now;
    tally.failedLast = failed;
    tally.sentAt = now;
    return successes;
  }
}

/** Make one per isolate and keep it. */
export class BreakerCache {
  readonly #objects = new Map<string, CachedBreakers>();

  /** By object name. */
  get(name: string): CachedBreakers {
    const known = this.#objects.get(name);
    // Inserted again as the newest, so that the first entry is the one unused for longest.
    if (known) this.#objects.delete(name);
    const entry = known ?? new CachedBreakers();
    this.#objects.set(name, entry);
    keepNewest(this.#objects);
    return entry;
  }
}

function keepNewest<T>(map: Map<string, T>): void {
  if (map.size <= MOST_ENTRIES) return;
  const [oldest] = map.keys();
  if (oldest !== undefined) map.delete(oldest);
}
