import { isExpired } from "./authorize.ts";
import { hashKey, isWellFormedKey } from "./key.ts";
import type { KeyLookup } from "./ports.ts";
import type { Principal } from "./principal.ts";

interface KeyCacheOptions {
  /**
   * Milliseconds for which a known key is used without a lookup; a revocation takes effect within it. Default 30 000.
   */
  readonly ttlMs?: number | undefined;
  /**
   * Milliseconds for which a known key is used beyond that while lookups fail, so that calls survive a database outage.
   * Default 300 000.
   */
  readonly graceMs?: number | undefined;
  /** Milliseconds for which an unknown key is refused without a lookup. Default 5 000, so that a new key works soon. */
  readonly unknownTtlMs?: number | undefined;
  /** Most keys kept; the one unused for longest is dropped first. Default 4 096. */
  readonly capacity?: number | undefined;
}

interface Entry {
  readonly principal: Principal | undefined;
  readonly until: number;
  /** Epoch milliseconds until which the entry may be used while lookups fail. */
  readonly graceUntil: number;
}

/** Returns the principal of a key, from memory where it was looked up lately. Makes one lookup per key at a time. */
export class KeyCache {
  readonly #lookup: KeyLookup;
  readonly #now: () => number;
  readonly #ttlMs: number;
  readonly #graceMs: number;
  readonly #unknownTtlMs: number;
  readonly #capacity: number;
  /**
   * Keyed by the key as presented: hashing it on every call costs more than everything else done with it, and this
   * memory also holds the requests. In order of use, oldest first. Unknown keys have a map of their own, so that a
   * flood of wrong keys does not evict known ones.
   */
  readonly #known = new Map<string, Entry>();
  readonly #unknown = new Map<string, Entry>();
  readonly #asking = new Map<string, Promise<Principal | undefined>>();

  constructor(lookup: KeyLookup, now: () => number, options: KeyCacheOptions = {}) {
    this.#lookup = lookup;
    this.#now = now;
    this.#ttlMs = options.ttlMs ?? 30_000;
    this.#graceMs = options.graceMs ?? 300_000;
    this.#unknownTtlMs = options.unknownTtlMs ?? 5_000;
    this.#capacity = options.capacity ?? 4_096;
  }

  /**
   * Returns `undefined` for a malformed, unknown, revoked or expired key. Rejects where the lookup rejects and the key
   * was not known shortly before; a rejection is not cached.
   */
  async find(key: string): Promise<Principal | undefined> {
    const entry = this.#remembered(key);
    if (!entry && !isWellFormedKey(key)) return undefined;
    const principal = entry
      ? entry.principal
      : await this.#ask(key).catch((error: unknown) => this.#lastKnown(key, error));
    return principal && !isExpired(principal, this.#now()) ? principal : undefined;
  }

  #remembered(key: string): Entry | undefined {
    const entries = this.#known.has(key) ? this.#known : this.#unknown;
    const entry = entries.get(key);
    if (!entry || entry.until <= this.#now()) return undefined;
    entries.delete(key);
    entries.set(key, entry);
    return entry;
  }

  #lastKnown(key: string, error: unknown): Principal {
    const entry = this.#known.get(key);
    if (!entry?.principal || entry.graceUntil <= this.#now()) throw error;
    // The lookup is not repeated at once: while the database hangs, every call would wait for it.
    this.#known.set(key, { ...entry, until: this.#now() + this.#unknownTtlMs });
    return entry.principal;
  }

  #ask(key: string): Promise<Principal | undefined> {
    const running = this.#asking.get(key);
    if (running) return running;
    const asking = hashKey(key)
      .then((hash) => this.#lookup.findByHash(hash))
      .then((principal) => this.#remember(key, principal))
      .finally(() => this.#asking.delete(key));
    this.#asking.set(key, asking);
    return asking;
  }

  #remember(key: string, principal: Principal | undefined): Principal | undefined {
    this.#known.delete(key);
    this.#unknown.delete(key);
    const entries = principal ? this.#known : this.#unknown;
    const until = this.#now() + (principal ? this.#ttlMs : this.#unknownTtlMs);
    entries.set(key, { principal, until, graceUntil: until + this.#graceMs });
    const [oldest] = entries.keys();
    if (entries.size > this.#capacity && oldest !== undefined) entries.delete(oldest);
    return principal;
  }
}
