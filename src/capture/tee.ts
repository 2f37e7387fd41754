import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate, zstdDecompress } from "node:zlib";

/** Copies bytes that pass through, up to a limit; beyond it the copy is dropped and the bytes still pass. */
export class Tee {
  readonly #limit: number;
  #chunks: Buffer[] = [];
  #size = 0;
  #overflowed = false;

  constructor(limitBytes: number) {
    this.#limit = limitBytes;
  }

  add(chunk: Buffer): void {
    if (this.#overflowed) return;
    this.#size += chunk.length;
    if (this.#size <= this.#limit) {
      this.#chunks.push(chunk);
      return;
    }
    this.#overflowed = true;
    this.#chunks = [];
  }

  /** Returns the copied bytes; `undefined` when there were too many. */
  bytes(): Buffer | undefined {
    return this.#overflowed ? undefined : Buffer.concat(this.#chunks);
  }
}

/** A body that decompresses to more is not copied, because a few kilobytes can expand to gigabytes. */
const UNPACKED = { maxOutputLength: 64 * 1024 * 1024 };

const DECODERS: Readonly<Record<string, (bytes: Buffer, options: typeof UNPACKED) => Promise<Buffer>>> = {
  gzip: promisify(gunzip),
  "x-gzip": promisify(gunzip),
  br: promisify(brotliDecompress),
  deflate: promisify(inflate),
  zstd: promisify(zstdDecompress),
};

/** Returns the text of a body as sent. Rejects on an unknown encoding or invalid bytes. */
export async function bodyText(bytes: Buffer, encoding: string | undefined): Promise<string> {
  let decoded = bytes;
  for (const name of (encoding ?? "identity").toLowerCase().split(",").reverse()) {
    if (name.trim() === "identity") continue;
    const decode = DECODERS[name.trim()];
    if (!decode) throw new Error(`cannot read content-encoding ${name.trim()}`);
    decoded = await decode(decoded, UNPACKED);
  }
  return decoded.toString("utf8");
}
