import { Writable } from "node:stream";
import type { Io } from "../../../src/cli/command.ts";

/** An `Io` that keeps what was written; no terminal, no environment unless given. */
export function fakeIo(
  options: { env?: Record<string, string>; cwd?: string; columns?: number; tty?: boolean } = {},
): Io & {
  readonly out: () => string;
  readonly err: () => string;
} {
  const sink = () => {
    let text = "";
    const stream = new Writable({
      write(chunk, _encoding, done) {
        text += String(chunk);
        done();
      },
    });
    return {
      stream: Object.assign(stream, { isTTY: options.tty ?? false, columns: options.columns ?? 80 }),
      text: () => text,
    };
  };
  const [stdout, stderr] = [sink(), sink()];
  return {
    stdout: stdout.stream,
    stderr: stderr.stream,
    env: options.env ?? {},
    cwd: options.cwd ?? "/nowhere",
    interactive: false,
    signal: new AbortController().signal,
    out: stdout.text,
    err: stderr.text,
  };
}
