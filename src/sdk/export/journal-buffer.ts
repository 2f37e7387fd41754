/**
 * The export buffer as journals in one folder: each process appends to its own, and takes over those whose process has ended.
 * `dead.jsonl` holds what was refused for good, `destinations.jsonl` which sender's records go where.
 */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { parsedJson } from "../../json/parsed.ts";
import { arrayAt, isRecord, numberAt, stringAt } from "../../json/record.ts";
import type { BufferCounts, BufferedItem, ExportBuffer } from "./export-buffer.ts";
import { type Journal, type LineRef, memoryJournal, openJournal } from "./journal-file.ts";
import { forgetJournal, leaveJournal, ownName, takeOver } from "./journal-owner.ts";

/** Refused items that are kept to be looked at. */
const MOST_DEAD = 1_000;
/** A journal is written anew when what is gone is more than this, and more than what is left. */
const MOST_GONE_BYTES = 4 * 1024 * 1024;
const LOOK_EVERY_MS = 10_000;

interface Held {
  readonly seq: number;
  readonly at: number;
  readonly shelf: Shelf;
  readonly number: number;
  ref: LineRef;
  attempts: number;
  nextAt: number;
  taken: boolean;
}

/** A journal with what is left of it. */
interface Shelf {
  readonly name: string | undefined;
  readonly journal: Journal;
  readonly items: Map<number, Held>;
  next: number;
}

/** Without a folder it is kept in memory. `sender` is empty for what stays on this machine. */
export function openJournalBuffer(folder: string | undefined, sender: string): ExportBuffer {
  if (folder !== undefined) mkdirSync(folder, { recursive: true, mode: 0o700 });
  return new JournalBuffer(folder, sender);
}

class JournalBuffer implements ExportBuffer {
  readonly #folder: string | undefined;
  readonly #sender: string;
  readonly #items = new Map<number, Held>();
  readonly #shelves: Shelf[] = [];
  #own: Shelf | undefined;
  #seq = 0;
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(folder: string | undefined, sender: string) {
    this.#folder = folder;
    this.#sender = sender;
  }

  add({ body, at }: { readonly body: string; readonly at: number }): void {
    // One that was taken over is written on: processes that end soon leave one journal, not one each.
    this.#own ??= this.#shelves[0] ?? this.#shelf(this.#folder === undefined ? undefined : ownName(this.#sender));
    const { next, journal } = this.#own;
    const ref = journal.append(`{"n":${next},"at":${at},"item":${body}}`);
    this.#own.next += 1;
    this.#hold(this.#own, next, at, ref);
  }

  claim({ now, mostItems, mostBytes }: Parameters<ExportBuffer["claim"]>[0]): readonly BufferedItem[] {
    if (now - this.#lookedAt >= LOOK_EVERY_MS) this.#takeOver(now);
    const ready = [...this.#items.values()].filter(({ taken, nextAt }) => !taken && nextAt <= now);
    let bytes = 0;
    const claimed: BufferedItem[] = [];
    for (const item of ready.sort((a, b) => a.at - b.at || a.seq - b.seq)) {
      bytes += item.ref.length;
      if (claimed.length === mostItems || (claimed.length > 0 && bytes > mostBytes)) break;
      item.taken = true;
      item.attempts += 1;
      claimed.push({ seq: item.seq, body: bodyOf(item), at: item.at, attempts: item.attempts });
    }
    return claimed;
  }

  remove(seqs: readonly number[]): void {
    const gone = new Map<Shelf, number[]>();
    for (const seq of seqs) {
      const item = this.#items.get(seq);
      if (!item) continue;
      this.#items.delete(seq);
      item.shelf.items.delete(item.number);
      gone.set(item.shelf, [...(gone.get(item.shelf) ?? []), item.number]);
    }
    for (const [shelf, numbers] of gone) this.#tidy(shelf, numbers);
  }

  postpone(seqs: readonly number[], at: number): void {
    for (const seq of seqs) {
      const item = this.#items.get(seq);
      if (item) Object.assign(item, { taken: false, nextAt: at });
    }
  }

  bury(seqs: readonly number[], { code, message, at }: { code: string; message: string; at: number }): void {
    const lines = seqs.flatMap((seq) => {
      const item = this.#items.get(seq);
      return item ? [`${JSON.stringify({ at, code, message, body: bodyOf(item) })}\n`] : [];
    });
    if (this.#folder !== undefined) {
      const file = join(this.#folder, DEAD);
      appendFileSync(file, lines.join(""), { mode: 0o600 });
      const all = linesOf(file);
      if (all.length > MOST_DEAD) writeFileSync(file, `${all.slice(-MOST_DEAD).join("\n")}\n`, { mode: 0o600 });
    }
    this.remove(seqs);
  }

  knowDestination(destination: string): void {
    if (this.#folder === undefined || this.#destinations().get(this.#sender) === destination) return;
    const line = JSON.stringify({ sender: this.#sender, destination });
    appendFileSync(join(this.#folder, DESTINATIONS), `${line}\n`, { mode: 0o600 });
    this.#lookedAt = Number.NEGATIVE_INFINITY;
  }

  counts(): BufferCounts {
    const items = [...this.#items.values()];
    const dead = this.#folder === undefined ? 0 : linesOf(join(this.#folder, DEAD)).length;
    return { waiting: items.length, bytes: items.reduce((sum, { ref }) => sum + ref.length, 0), dead };
  }

  prune({ maxBytes, before, now }: Parameters<ExportBuffer["prune"]>[0]): number {
    this.#takeOver(now);
    const newest = [...this.#items.values()].filter(({ taken }) => !taken).sort((a, b) => b.at - a.at || b.seq - a.seq);
    let bytes = 0;
    const over = newest.filter(({ at, ref }) => {
      bytes += ref.length;
      return at < before || bytes > maxBytes;
    });
    this.remove(over.map(({ seq }) => seq));
    return over.length;
  }

  close(): void {
    for (const shelf of this.#shelves.splice(0)) {
      shelf.journal.close();
      if (shelf.name === undefined || this.#folder === undefined) continue;
      if (shelf.items.size > 0) leaveJournal(this.#folder, shelf.name);
      else this.#delete(shelf.name);
    }
  }

  #takeOver(now: number): void {
    this.#lookedAt = now;
    if (this.#folder === undefined) return;
    // So that other machines on the same disk see that they are not left.
    for (const { name } of this.#shelves)
      if (name !== undefined) utimesSync(join(this.#folder, name), now / 1_000, now / 1_000);
    const destinations = this.#destinations();
    const own = destinations.get(this.#sender);
    const alike = [...destinations].flatMap(([sender, destination]) => (destination === own ? [sender] : []));
    for (const name of takeOver(this.#folder, new Set([this.#sender, ...alike]), now)) {
      const shelf = this.#shelf(name);
      if (shelf.items.size === 0) this.#tidy(shelf, []);
    }
  }

  /** Opens a journal and holds what is left in it. */
  #shelf(name: string | undefined): Shelf {
    const file = this.#folder === undefined || name === undefined ? undefined : join(this.#folder, name);
    const left = file === undefined ? [] : leftIn(file);
    const journal = file === undefined ? memoryJournal() : openJournal(file);
    const shelf: Shelf = { name, journal, items: new Map(), next: Math.max(0, ...left.map((one) => one.number + 1)) };
    this.#shelves.push(shelf);
    for (const { number, at, ref } of left) this.#hold(shelf, number, at, ref);
    return shelf;
  }

  #hold(shelf: Shelf, number: number, at: number, ref: LineRef): void {
    const seq = this.#seq;
    this.#seq += 1;
    const item: Held = { seq, at, shelf, number, ref, attempts: 0, nextAt: 0, taken: false };
    this.#items.set(seq, item);
    shelf.items.set(number, item);
  }

  /** Says in the journal what is gone; one that holds nothing more is emptied, or deleted where it was taken over. */
  #tidy(shelf: Shelf, gone: readonly number[]): void {
    const { journal, items } = shelf;
    if (items.size === 0 && shelf !== this.#own && shelf.name !== undefined) {
      this.#shelves.splice(this.#shelves.indexOf(shelf), 1);
      journal.close();
      this.#delete(shelf.name);
      return;
    }
    if (items.size > 0) journal.append(JSON.stringify({ gone }));
    const held = [...items.values()];
    const live = held.reduce((sum, { ref }) => sum + ref.length, 0);
    if (items.size > 0 && journal.size() - live < Math.max(live, MOST_GONE_BYTES)) return;
    for (const [index, ref] of journal.keep(held.map((item) => item.ref)).entries()) {
      const item = held[index];
      if (item) item.ref = ref;
    }
  }

  #delete(name: string): void {
    if (this.#folder !== undefined) unlinkSync(join(this.#folder, name));
    forgetJournal(name);
  }

  #destinations(): ReadonlyMap<string, string> {
    const lines = this.#folder === undefined ? [] : linesOf(join(this.#folder, DESTINATIONS));
    return new Map(
      lines.map(parsedJson).flatMap((line): [string, string][] => {
        const [sender, destination] = [stringAt(line, "sender"), stringAt(line, "destination")];
        return sender === undefined || destination === undefined ? [] : [[sender, destination]];
      }),
    );
  }
}

const DEAD = "dead.jsonl";
const DESTINATIONS = "destinations.jsonl";

/** What all processes of a project have waiting, and what was refused. */
export function bufferCounts(folder: string): BufferCounts {
  const journals = readdirSync(folder).filter((name) => name.includes("~"));
  const left = journals.flatMap((name) => leftIn(join(folder, name)));
  const bytes = left.reduce((sum, { ref }) => sum + ref.length, 0);
  return { waiting: left.length, bytes, dead: linesOf(join(folder, DEAD)).length };
}

/** The items of a folder's journals, oldest first: what a process of any sender would find. */
export function bufferedBodies(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  const journals = readdirSync(folder).filter((name) => name.includes("~"));
  const left = journals.flatMap((name) => leftIn(join(folder, name)));
  return left.sort((a, b) => a.at - b.at || a.number - b.number).map(({ line }) => bodyIn(line));
}

interface Left {
  readonly number: number;
  readonly at: number;
  readonly ref: LineRef;
  readonly line: string;
}

/** A last line that was cut by a crash is no item; one is lost at most, whose `add` had not returned. */
function leftIn(file: string): readonly Left[] {
  const items = new Map<number, Left>();
  let offset = 0;
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  for (const line of text.split("\n")) {
    const length = Buffer.byteLength(line);
    const entry = line === "" ? undefined : parsedJson(line);
    const [number, at] = [numberAt(entry, "n"), numberAt(entry, "at")];
    if (number !== undefined && at !== undefined && isRecord(entry))
      items.set(number, { number, at, line, ref: { offset, length } });
    for (const gone of arrayAt(entry, "gone") ?? []) if (typeof gone === "number") items.delete(gone);
    offset += length + 1;
  }
  return [...items.values()];
}

function bodyOf({ shelf, ref }: Held): string {
  return bodyIn(shelf.journal.read(ref));
}

function bodyIn(line: string): string {
  return line.slice(line.indexOf(ITEM) + ITEM.length, -1);
}

const ITEM = '"item":';

function linesOf(file: string): readonly string[] {
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
}
