/**
 * Brings records to the gateway in the background. What is added is on the disk at once and stays there until the gateway
 * has taken it; ids make a record that is sent twice one record.
 */
import type { InferenceRecord } from "../../record/inference-record.ts";
import type { IngestItem } from "../../runs/ingest.ts";
import { clock } from "../../workspace/engine-host.ts";
import { reasonOf, type Warnings } from "../warnings.ts";
import { within } from "../within.ts";
import type { Delivery, Outcome as DeliveryOutcome, Promotion } from "./delivery.ts";
import type { ExportBuffer } from "./export-buffer.ts";

export type ExportItem =
  | Exclude<IngestItem, { type: "inference" }>
  | { readonly type: "inference"; readonly inference: InferenceRecord }
  | Promotion;

export interface Exporter {
  /** Synchronous; never throws. */
  add(item: ExportItem): void;
  /** Sends what is ready, once through. Never rejects. */
  flush(): Promise<void>;
  /** Sends what it can in the time given; the rest stays on the disk. Never rejects. */
  close(timeoutMs: number): Promise<void>;
}

/** Of a rig that records nothing. */
export const NO_EXPORTER: Exporter = {
  add: () => undefined,
  flush: async () => undefined,
  close: async () => undefined,
};

interface ExporterOptions {
  /** Opened at the first need; the fallback where no file can be kept is in memory. */
  readonly open: () => ExportBuffer;
  /** Absent = purely local. `backoff` says how long to wait after so many tries. */
  readonly delivery: ((backoff: (attempts: number) => number) => Delivery) | undefined;
  readonly limits: { readonly maxBytes: number; readonly keepMs: number };
  readonly flushIntervalMs: number;
  readonly now: () => number;
  readonly random: () => number;
  readonly warn: Warnings;
}

/** `done`: nothing is ready any more. `more`: there may be more. */
type Outcome = DeliveryOutcome | { readonly type: "more" };

const MOST_BYTES = 4 * 1024 * 1024;
const MOST_ITEMS = 500;
/** Records that a buffer that is busy or full could not take yet. */
const MOST_HELD = 10_000;
const PRUNE_EVERY = 2_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** Pauses between tries while the rig is being closed. */
const CLOSING_PAUSES_MS = [250, 750];

export function createExporter(options: ExporterOptions): Exporter {
  return new BufferedExporter(options);
}

class BufferedExporter implements Exporter {
  readonly #options: ExporterOptions;
  readonly #delivery: Delivery | undefined;
  #buffer: ExportBuffer | undefined;
  #held: { readonly body: string; readonly at: number }[] = [];
  #added = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #flushing: Promise<Outcome["type"]> | undefined;
  #failures = 0;
  #pausedUntil = 0;
  #closed = false;
  /** The buffer is closed too: an answer that comes now finds its items handed back. */
  #ended = false;

  constructor(options: ExporterOptions) {
    this.#options = options;
    this.#delivery = options.delivery?.((attempts) => this.#backoff(attempts));
    // What an earlier process left is sent without waiting for something new.
    if (this.#delivery) this.#schedule(options.flushIntervalMs);
  }

  add(item: ExportItem): void {
    const { now, warn } = this.#options;
    if (this.#closed) {
      warn.once("closed", "the rig is closed; what is recorded after that is lost");
      return;
    }
    try {
      this.#held.push({ body: JSON.stringify(item), at: now() });
      this.#store();
    } catch (cause) {
      if (this.#held.length > MOST_HELD) this.#held.shift();
      warn.once("buffer", `records wait in memory, for their file cannot be written: ${reasonOf(cause)}`);
    }
    if (this.#delivery) this.#schedule(this.#options.flushIntervalMs);
  }

  async flush(): Promise<void> {
    await this.#flush(true);
  }

  async close(timeoutMs: number): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    const deadline = this.#options.now() + timeoutMs;
    if (this.#delivery) await this.#sendAll(deadline);
    try {
      if (this.#held.length > 0) this.#store();
      this.#sayWhatIsLeft();
      this.#buffer?.close();
      this.#ended = true;
    } catch (cause) {
      this.#options.warn.say(`${this.#held.length} records are lost: ${reasonOf(cause)}`);
    }
  }

  async #sendAll(deadline: number): Promise<void> {
    const { now } = this.#options;
    const pauses = [...CLOSING_PAUSES_MS];
    while (now() < deadline) {
      const left = deadline - now();
      const end = await within(this.#flush(true), left);
      if (end === "late" || end === "done" || end === "refused") return;
      if (end === "more") continue;
      const pause = pauses.shift();
      if (pause === undefined || pause > deadline - now()) return;
      await clock.sleep(pause);
    }
  }

  #sayWhatIsLeft(): void {
    const { warn } = this.#options;
    if (!this.#delivery || !this.#buffer) return;
    const { waiting } = this.#buffer.counts();
    if (waiting > 0) warn.say(`records that stay buffered here, for the next process to send: ${waiting}`);
  }

  #schedule(ms: number): void {
    if (this.#timer !== undefined || this.#closed) return;
    const wait = Math.max(ms, this.#pausedUntil - this.#options.now());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#flush().then((end) => {
        if (end !== "done") this.#schedule(end === "more" ? 0 : this.#options.flushIntervalMs);
      });
    }, wait);
    // Records are on the disk: a process that has nothing else to do may end.
    this.#timer.unref?.();
  }

  #flush(atOnce = false): Promise<Outcome["type"]> {
    this.#flushing ??= this.#flushOnce(atOnce).finally(() => {
      this.#flushing = undefined;
    });
    return this.#flushing;
  }

  async #flushOnce(atOnce: boolean): Promise<Outcome["type"]> {
    const { now, warn } = this.#options;
    if (!this.#delivery || (!atOnce && now() < this.#pausedUntil)) return "failed";
    try {
      const outcome = await this.#deliver(this.#delivery);
      if (outcome.type === "failed" || outcome.type === "refused") this.#pause(outcome.retryAfterMs);
      else this.#failures = 0;
      return outcome.type;
    } catch (cause) {
      if (this.#ended) return "failed";
      warn.once("flush", `records could not be sent and wait: ${reasonOf(cause)}`);
      this.#pause(undefined);
      return "failed";
    }
  }

  async #deliver(delivery: Delivery): Promise<Outcome> {
    const { now } = this.#options;
    const buffer = this.#opened();
    if (this.#held.length > 0) this.#store();
    const items = buffer.claim({ now: now(), mostItems: MOST_ITEMS, mostBytes: MOST_BYTES });
    if (items.length === 0) return { type: "done" };
    const outcome = await delivery.deliver(items, buffer);
    return outcome.type === "done" ? { type: "more" } : outcome;
  }

  /** Moves what is held onto the disk; throws where it cannot. */
  #store(): void {
    const buffer = this.#opened();
    for (let item = this.#held[0]; item; item = this.#held[0]) {
      buffer.add(item);
      this.#held.shift();
      this.#added += 1;
      if (this.#added % PRUNE_EVERY === 0) this.#prune(buffer);
    }
  }

  #opened(): ExportBuffer {
    if (!this.#buffer) {
      this.#buffer = this.#options.open();
      this.#prune(this.#buffer);
    }
    return this.#buffer;
  }

  #prune(buffer: ExportBuffer): void {
    const { limits, now, warn } = this.#options;
    const gone = buffer.prune({ maxBytes: limits.maxBytes, before: now() - limits.keepMs, now: now() });
    if (gone > 0 && this.#delivery)
      warn.say(`${gone} records were too old or too many to be kept, and were never sent`);
  }

  #pause(retryAfterMs: number | undefined): void {
    this.#failures += 1;
    this.#pausedUntil = this.#options.now() + Math.max(retryAfterMs ?? 0, this.#backoff(this.#failures));
  }

  /** Doubling, of which a random half is taken off. */
  #backoff(attempts: number): number {
    const full = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(attempts - 1, 10));
    return Math.round(full * (1 - this.#options.random() / 2));
  }
}
