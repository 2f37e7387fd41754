/** One append-only file of lines. What is appended survives the end of the process at once, and of the machine shortly after. */
import {
  closeSync,
  fdatasync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  writeSync,
} from "node:fs";

/** Where a line is: bytes from the start, without its end of line. */
export interface LineRef {
  readonly offset: number;
  readonly length: number;
}

/** Lines of a file that may be read and appended to. Every method throws where the file cannot be. */
export interface Journal {
  append(line: string): LineRef;
  read(ref: LineRef): string;
  /** Bytes of the file. */
  size(): number;
  /** Keeps these lines only, and answers where they are then. */
  keep(refs: readonly LineRef[]): readonly LineRef[];
  close(): void;
}

export function openJournal(file: string): Journal {
  let fd = openSync(file, "a+", 0o600);
  let end = fstatSync(fd).size;
  let syncing = false;
  /** Lines that were appended while the disk was at it go with the next turn. */
  let again = false;
  const sync = (): void => {
    if (syncing) {
      again = true;
      return;
    }
    syncing = true;
    fdatasync(fd, () => {
      syncing = false;
      if (again && fd >= 0) {
        again = false;
        sync();
      }
    });
  };
  const read = ({ offset, length }: LineRef): string => {
    const bytes = Buffer.alloc(length);
    let done = 0;
    while (done < length) {
      const got = readSync(fd, bytes, done, length - done, offset + done);
      if (got === 0) throw new RangeError(`${file} is shorter than it was`);
      done += got;
    }
    return bytes.toString("utf8");
  };
  const write = (target: number, line: string): number => {
    const bytes = Buffer.from(`${line}\n`);
    let done = 0;
    while (done < bytes.length) done += writeSync(target, bytes, done);
    return bytes.length;
  };
  // A crash may have cut the last line: the next one must not be joined to it.
  if (end > 0 && read({ offset: end - 1, length: 1 }) !== "\n") end += write(fd, "");
  return {
    append(line) {
      const offset = end;
      const length = write(fd, line);
      end += length;
      sync();
      return { offset, length: length - 1 };
    },
    read,
    size: () => end,
    keep(refs) {
      if (refs.length === 0) {
        ftruncateSync(fd, 0);
        end = 0;
        return [];
      }
      const lines = refs.map(read);
      const fresh = openSync(`${file}.new`, "w+", 0o600);
      let offset = 0;
      const kept = lines.map((line) => {
        const at = offset;
        const length = write(fresh, line);
        offset += length;
        return { offset: at, length: length - 1 };
      });
      fsyncSync(fresh);
      closeSync(fresh);
      renameSync(`${file}.new`, file);
      closeSync(fd);
      fd = openSync(file, "a+", 0o600);
      end = offset;
      return kept;
    },
    close() {
      fsyncSync(fd);
      closeSync(fd);
      fd = -1;
    },
  };
}

/** The same in memory, for a disk that cannot be written. */
export function memoryJournal(): Journal {
  let lines = new Map<number, string>();
  let next = 0;
  const append = (line: string): LineRef => {
    lines.set(next, line);
    next += 1;
    return { offset: next - 1, length: Buffer.byteLength(line) };
  };
  return {
    append,
    read: ({ offset }) => lines.get(offset) ?? "",
    size: () => [...lines.values()].reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0),
    keep(refs) {
      const kept = refs.map(({ offset }) => lines.get(offset) ?? "");
      lines = new Map();
      return kept.map(append);
    },
    close: () => undefined,
  };
}
