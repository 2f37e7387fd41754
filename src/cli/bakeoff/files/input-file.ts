/**
 * The inputs of one bake-off, in a file beside its journal: they are read one at a time as they are sent, and are still
 * there to resume from when the captures they came from were pruned. Readable by its owner only.
 */
import { closeSync, existsSync, openSync, readSync, writeSync } from "node:fs";
import { z } from "zod";
import { parsedJson } from "../../../json/parsed.ts";
import type { ReplayInput } from "../../../replay/replay-input.ts";
import { type ReplayPayload, replayPayload } from "../../../replay/replay-payload.ts";

const line = z.object({
  id: z.string(),
  at: z.int(),
  weight: z.int().positive().optional(),
  cluster: z.string().optional(),
  question: z.string(),
  golden: z.unknown().optional(),
  payload: replayPayload,
});

const CHUNK_BYTES = 1 << 20;
const LINE_BREAK = 0x0a;
const REMEMBERED = 128;

/** Writes every input, one in memory at a time. */
export function writeInputs(file: string, inputs: Iterable<ReplayInput>): void {
  const open = openSync(file, "w", 0o600);
  try {
    for (const { id, at, weight, cluster, question, golden, payload } of inputs) {
      writeSync(open, `${JSON.stringify({ id, at, weight, cluster, question, golden, payload })}\n`);
    }
  } finally {
    closeSync(open);
  }
}

export interface StoredInputs {
  readonly inputs: readonly ReplayInput[];
  readonly close: () => void;
}

/** `undefined` where there is no such file, or it is none of inputs. */
export function openInputs(file: string): StoredInputs | undefined {
  if (!existsSync(file)) return undefined;
  const open = openSync(file, "r");
  const inputs: ReplayInput[] = [];
  const recent = new Map<string, ReplayPayload>();
  for (const { text, start, length } of linesOf(open)) {
    const read = line.safeParse(parsedJson(text));
    if (!read.success) {
      closeSync(open);
      return undefined;
    }
    const { payload: _, ...known } = read.data;
    inputs.push(new StoredInput(known, () => remembered(recent, known.id, () => payloadAt(open, start, length))));
  }
  return { inputs, close: () => closeSync(open) };
}

/** Holds everything but the payload, which is read whenever it is looked at. */
class StoredInput implements ReplayInput {
  readonly id: string;
  readonly at: number;
  readonly weight: number | undefined;
  readonly cluster: string | undefined;
  readonly question: string;
  readonly golden: unknown;
  readonly #load: () => ReplayPayload;

  constructor(known: Omit<ReplayInput, "payload">, load: () => ReplayPayload) {
    this.id = known.id;
    this.at = known.at;
    this.weight = known.weight;
    this.cluster = known.cluster;
    this.question = known.question;
    this.golden = known.golden;
    this.#load = load;
  }

  get payload(): ReplayPayload {
    return this.#load();
  }
}

/** The arms of an input are sent side by side: what was just read is asked for again. */
function remembered(recent: Map<string, ReplayPayload>, id: string, load: () => ReplayPayload): ReplayPayload {
  const known = recent.get(id);
  if (known) return known;
  const payload = load();
  recent.set(id, payload);
  for (const oldest of recent.keys()) {
    if (recent.size <= REMEMBERED) break;
    recent.delete(oldest);
  }
  return payload;
}

function payloadAt(open: number, start: number, length: number): ReplayPayload {
  const bytes = Buffer.allocUnsafe(length);
  for (let read = 0; read < length; ) {
    const got = readSync(open, bytes, read, length - read, start + read);
    if (got === 0) throw new RangeError("the file of inputs was cut while it was read");
    read += got;
  }
  return line.shape.payload.parse(JSON.parse(bytes.toString("utf8"))["payload"]);
}

function* linesOf(open: number): Generator<{ text: string; start: number; length: number }> {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let held: Buffer = Buffer.alloc(0);
  let start = 0;
  for (let position = 0; ; ) {
    const got = readSync(open, chunk, 0, CHUNK_BYTES, position);
    if (got === 0) return;
    position += got;
    held = Buffer.concat([held, chunk.subarray(0, got)]);
    let from = 0;
    for (let end = held.indexOf(LINE_BREAK); end !== -1; end = held.indexOf(LINE_BREAK, from)) {
      yield { text: held.toString("utf8", from, end), start: start + from, length: end - from };
      from = end + 1;
    }
    start += from;
    held = Buffer.from(held.subarray(from));
  }
}
