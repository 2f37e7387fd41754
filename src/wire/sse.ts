/** Server-sent events: one reader and one writer for all dialects. */
import { createParser, type EventSourceParser } from "eventsource-parser";
import type { SseEvent } from "./dialect.ts";

/** Most characters of one unfinished event; a longer one is an attack or a fault, never an answer. */
const MAX_EVENT_LENGTH = 32 * 1024 * 1024;
/** Bytes read after a protocol's own end, to hand the connection back in a usable state. */
const MAX_DRAIN_BYTES = 64 * 1024;

export interface SseReader {
  /** The events that came with the next bytes, at least one; none after the last. Rejects where the connection breaks or an event has no end. */
  read(): Promise<readonly SseEvent[]>;
  /**
   * Hands the body over: returns the pieces read so far (where `keepsPieces` was set) and a stream of the rest. Later
   * reads are made over a copy of the rest, each after `pause`.
   */
  handOver(pause: () => Promise<void>): BodyInTransit;
  /** Stops the upstream; a pending `read` answers none. Never rejects. */
  cancel(): Promise<void>;
  /** Reads what little follows an answer's end, so that its connection can serve again. Never rejects. */
  drain(): Promise<void>;
}

/** A body of which the first pieces have been read. */
export interface BodyInTransit {
  readonly begun: readonly Uint8Array[];
  readonly rest: ReadableStream<Uint8Array>;
}

interface SseReaderOptions {
  /** Called after every piece of the body with its length; when it returns false, `read` returns no events. */
  readonly mayGoOn?: ((bytes: number) => Promise<boolean>) | undefined;
  /** Keeps the pieces that were read, until the body is handed over. */
  readonly keepsPieces?: boolean | undefined;
}

/**
 * Reads events on demand: nothing is fetched ahead of `read`. Line ends may be LF, CR, CRLF or mixed, characters may be
 * split anywhere, and the last event needs no blank line. Comments are skipped, because a keep-alive is no content.
 */
export function sseReader(
  body: ReadableStream<Uint8Array>,
  { mayGoOn = always, keepsPieces = false }: SseReaderOptions = {},
): SseReader {
  let source: PieceSource = piecesOf(body);
  let kept: Uint8Array[] | undefined = keepsPieces ? [] : undefined;
  const decoder = new TextDecoder();
  let events: SseEvent[] = [];
  let ended = false;
  const parser = eventParser((event) => void events.push(event));
  let opening = "";
  /** The pieces of a body that is no event stream. Undefined = it is one, or all of it is blank so far. */
  let pieces: string[] | undefined;
  let length = 0;
  let streams = false;

  const feed = (text: string): void => {
    if (streams) {
      parser.feed(text);
      return;
    }
    opening += text;
    if (!/\S/.test(opening)) return;
    if (!pieces && !NO_EVENT.test(opening)) {
      streams = true;
      parser.feed(opening);
      return;
    }
    pieces ??= [];
    pieces.push(opening);
    length += opening.length;
    opening = "";
    if (length > MAX_EVENT_LENGTH) throw new RangeError("the body is larger than an answer can be");
  };

  return {
    async read() {
      events = [];
      while (events.length === 0 && !ended) {
        const { done, value } = await source.read();
        ended = done;
        if (value) kept?.push(value);
        if (value && !(await mayGoOn(value.byteLength))) {
          ended = true;
          return [];
        }
        // Two line ends close a last line and its event; where both were there already they mean nothing.
        feed(done ? `${decoder.decode()}\n\n` : decoder.decode(value, { stream: true }));
        if (done && pieces) events.push({ data: pieces.join("") + opening, body: true });
      }
      return events;
    },
    handOver(pause) {
      const begun = kept ?? [];
      kept = undefined;
      source.release();
      const [rest, copy] = body.tee();
      source = pacedPiecesOf(copy, pause);
      return { begun, rest };
    },
    async cancel() {
      ended = true;
      await source.cancel().catch(() => undefined);
    },
    async drain() {
      try {
        for (let bytes = 0; bytes <= MAX_DRAIN_BYTES; ) {
          const { done, value } = await source.read();
          if (done) return;
          bytes += value?.byteLength ?? 0;
        }
        await source.cancel();
      } catch {
        // The answer is complete; how its connection ends changes nothing.
      }
    },
  };
}

interface PieceSource {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  release(): void;
  cancel(): Promise<void>;
}

function piecesOf(body: ReadableStream<Uint8Array>): PieceSource {
  const reader = body.getReader();
  return { read: () => reader.read(), release: () => reader.releaseLock(), cancel: () => reader.cancel() };
}

/** Bytes that one read of a copy takes at most. */
const SLICE_BYTES = 64 * 1024;

/** Takes all that has arrived in one read, so that a host copies a stream without a step of ours per piece. */
function pacedPiecesOf(body: ReadableStream<Uint8Array>, pause: () => Promise<void>): PieceSource {
  const reader = body.getReader({ mode: "byob" });
  let buffer = new ArrayBuffer(SLICE_BYTES);
  return {
    async read() {
      await pause();
      const { done, value } = await reader.read(new Uint8Array(buffer));
      if (value) buffer = value.buffer;
      return { done, value };
    },
    release: () => reader.releaseLock(),
    cancel: () => reader.cancel(),
  };
}

const always = async (): Promise<boolean> => true;

/** How a body begins that is JSON or a page, and can be no event stream. */
const NO_EVENT = /^\uFEFF?\s*[[{<]/;

/** True for text that is an event stream, whatever it is labelled. */
export function isEventStream(text: string): boolean {
  return /^\uFEFF?\s*(?:data|event|id|retry|error)?:/.test(text);
}

/** The events of a body that is there as a whole. */
export function sseEventsIn(text: string): SseEvent[] {
  const events: SseEvent[] = [];
  eventParser((event) => void events.push(event)).feed(`${text.trimStart()}\n\n`);
  return events;
}

/** Hands over the events of bytes that pass by on their way to somebody else. Throws where an event has no end. */
export function sseFeed(onEvent: (event: SseEvent) => void): { feed(bytes: Uint8Array): void; end(): void } {
  const decoder = new TextDecoder();
  const parser = eventParser(onEvent);
  return {
    feed: (bytes) => parser.feed(decoder.decode(bytes, { stream: true })),
    end: () => parser.feed(`${decoder.decode()}\n\n`),
  };
}

/** Some upstreams send an error in a field `error:`, which other readers skip as unknown. */
function eventParser(onEvent: (event: SseEvent) => void): EventSourceParser {
  return createParser({
    maxBufferSize: MAX_EVENT_LENGTH,
    onEvent,
    onError: (error) => {
      if (error.type === "max-buffer-size-exceeded") throw error;
      if (error.type === "unknown-field" && error.field === "error")
        onEvent({ event: "error", data: error.value ?? "" });
    },
  });
}

/** All events of a body, for consumers that need no control over single reads. Leaving the loop cancels the body. */
export async function* sseEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<SseEvent, void, undefined> {
  const reader = sseReader(body);
  try {
    for (let events = await reader.read(); events.length > 0; events = await reader.read()) yield* events;
  } finally {
    await reader.cancel();
  }
}

/** One event, LF framed. `data` may hold line ends; each line gets its own field. */
export function sseFrame(data: string, event?: string): string {
  const lines = data.includes("\n") || data.includes("\r") ? data.replace(/\r\n|\r|\n/g, "\ndata: ") : data;
  return event === undefined ? `data: ${lines}\n\n` : `event: ${event}\ndata: ${lines}\n\n`;
}
