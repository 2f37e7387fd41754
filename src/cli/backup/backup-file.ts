/** The file around the lines of a backup: plain or gzipped, private, whole or not there, and with a sum that shows damage. */
import { createHash } from "node:crypto";
import { createReadStream, createWriteStream, renameSync, rmSync } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { BackupError, type BackupHeader, headerOf } from "../../store/database/backup.ts";

/** Last line: what all lines before it, each with its line end, come to. */
interface Seal {
  readonly rows: number;
  readonly sha256: string;
}

const isZipped = (file: string): boolean => file.endsWith(".gz");

/** Writes beside the file first: a backup that is cut short leaves none. Answers how many rows it holds. */
export async function writeBackup(file: string, lines: AsyncIterable<string>): Promise<number> {
  const part = `${file}.part`;
  let rows = -1;
  async function* sealed(): AsyncGenerator<string> {
    const hash = createHash("sha256");
    for await (const line of lines) {
      rows += 1;
      hash.update(`${line}\n`);
      yield `${line}\n`;
    }
    yield `${JSON.stringify({ rows, sha256: hash.digest("hex") } satisfies Seal)}\n`;
  }
  try {
    const out = createWriteStream(part, { mode: 0o600 });
    await (isZipped(file)
      ? pipeline(Readable.from(sealed()), createGzip(), out)
      : pipeline(Readable.from(sealed()), out));
    renameSync(part, file);
  } catch (cause) {
    rmSync(part, { force: true });
    throw cause;
  }
  return rows;
}

/** Reads the file whole and throws where it is cut short or changed. */
export async function verifyBackup(file: string): Promise<BackupHeader> {
  const hash = createHash("sha256");
  let header: BackupHeader | undefined;
  let rows = 0;
  let pending: string | undefined;
  for await (const line of linesOf(file)) {
    if (pending !== undefined) {
      hash.update(`${pending}\n`);
      if (header) rows += 1;
      else header = headerOf(pending);
    }
    pending = line;
  }
  if (!header) header = headerOf(pending ?? "");
  else if (isSeal(pending, { rows, sha256: hash.digest("hex") })) return header;
  throw new BackupError("incomplete", "the backup is cut short or was changed", "take another, or use an earlier one");
}

/** The lines of rows, of a file that was verified. */
export async function* rowsOf(file: string): AsyncGenerator<string> {
  let position = 0;
  let pending: string | undefined;
  for await (const line of linesOf(file)) {
    if (position > 1 && pending !== undefined) yield pending;
    pending = line;
    position += 1;
  }
}

function isSeal(line: string | undefined, expected: Seal): boolean {
  return line === JSON.stringify(expected);
}

async function* linesOf(file: string): AsyncGenerator<string> {
  const bytes = createReadStream(file);
  const text = isZipped(file) ? bytes.pipe(createGunzip()) : bytes;
  bytes.on("error", (error) => void text.destroy(error));
  try {
    // Only line feeds end a line: JSON may hold the other separators as they are.
    let rest = "";
    text.setEncoding("utf8");
    for await (const chunk of text as AsyncIterable<string>) {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
    }
    if (rest !== "") yield rest;
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && /^Z_/.test(String(cause.code)))
      throw new BackupError("incomplete", "the backup cannot be unpacked", "take another, or use an earlier one");
    throw cause;
  }
}
