/** What one isolate knows of breakers: snapshots by object, and the successes it has not reported. */
import type { BreakerSnapshot } from "../src/breaker/breaker.ts";

/** A snapshot older than this is refreshed in the background while it is still acted on. */
export const SNAPSHOT_TTL_MS = 30_000;
/** Where something is open, news of its recovery is worth a call every few seconds. */
const OPEN_SNAPSHOT_TTL_MS = 5_000;
/** A refresh dies with the request that started it; after this another may try. */
const REFRESH_LAPSE_MS = 5_000;
/** Successes of a closed breaker with failures in its window are sent together, this often. */
const TALLY_EVERY_MS = 1_000;
/** Successes older than this say nothing about a failure now; as long as the breaker's own window. */
const TALLY_WINDOW_MS = 60_000;
/** Objects, and keys of one object, an isolate keeps. The longest unused is forgotten, which reads as closed. */
const MOST_ENTRIES = 5_000;

interface Tally {
  successes: number;
  since: number;
  /** This isolate reported a failure, and no success after it. */
  failedLast: boolean;
  sentAt: number;
}

/** Knowledge of one object. */
export class CachedBreakers {
  #snapshot: BreakerSnapshot | undefined;
  #fetchedAt = 0;
  #refreshStartedAt = Number.NEGATIVE_INFINITY;
  readonly #tallies = new Map<string, Tally>();

  /** Undefined in a cold isolate: everything counts as closed. */
  get snapshot(): BreakerSnapshot | undefined {
    return this.#snapshot;
  }

  /** True, once, when somebody should fetch the snapshot. */
  startsRefresh(now: number): boolean {
    const ttl = this.#snapshot && Object.keys(this.#snapshot.open).length > 0 ? OPEN_SNAPSHOT_TTL_MS : SNAPSHOT_TTL_MS;
    if (this.#snapshot && now - this.#fetchedAt < ttl) return false;
    if (now - this.#refreshStartedAt < REFRESH_LAPSE_MS) return false;
    this.#refreshStartedAt = now;
    return true;
  }

  /** Takes over a newer snapshot. Answers may overtake each other; an older one only counts once the held one is stale. */
  apply(snapshot: BreakerSnapshot, now: number): void {
    const held = this.#snapshot;
    if (held && snapshot.version < held.version && now - this.#fetchedAt < SNAPSHOT_TTL_MS) return;
    this.#snapshot = snapshot;
    this.#fetchedAt = now;
    this.#refreshStartedAt = Number.NEGATIVE_INFINITY;
  }

  /**
   * Counts a success. Returns how many successes are now worth a report: none while the breaker is known to be healthy,
   * at once after a failure of this isolate, every second while others report failures.
   */
  tallySuccess(key: string, now: number): number {
    const tally = this.#tally(key, now);
    tally.successes += 1;
    const watched = this.#snapshot?.failing.includes(key) === true && now - tally.sentAt >= TALLY_EVERY_MS;
    if (!tally.failedLast && !watched) return 0;
    return this.#take(tally, now, false);
  }

  /** Counts a failure. Returns the successes that came before it and count with it. */
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
    // Re-inserted as the newest, so that the oldest is the longest unused.
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
