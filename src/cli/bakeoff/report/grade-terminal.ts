/** The terminal as grading uses it: one key at a time, and a screen of its own that is left again however it ends. */
import { CliError, EXIT, type Io } from "../../command.ts";

export interface GradeTerminal {
  readonly columns: number;
  readonly rows: number;
  /** Replaces what is on the screen. */
  readonly show: (lines: readonly string[]) => void;
  /** The next key; undefined once there are no more, or the process is asked to end. */
  readonly key: () => Promise<string | undefined>;
  /** Gives the terminal back as it was. */
  readonly close: () => void;
}

const ENTER = "\u001b[?1049h\u001b[?25l";
const LEAVE = "\u001b[?25h\u001b[?1049l";
const CLEAR = "\u001b[2J\u001b[H";

/** Refuses where keys cannot be read or nothing can be shown. */
export function openGradeTerminal(io: Io): GradeTerminal {
  const { stdin } = process;
  if (!io.interactive || io.stdout.isTTY !== true || typeof stdin.setRawMode !== "function") {
    throw new CliError("bakeoff.grade_terminal", "--interactive needs a terminal for keys and screen", {
      exitCode: EXIT.usage,
      fix: "modelrig bakeoff report <id> --serve grades in a browser",
    });
  }
  const keys: string[] = [];
  let wake: () => void = () => undefined;
  let ended = false;
  const onData = (chunk: Buffer): void => {
    keys.push(...chunk.toString("utf8"));
    wake();
  };
  const end = (): void => {
    ended = true;
    wake();
  };
  const restore = (): void => {
    if (stdin.isRaw) stdin.setRawMode(false);
    io.stdout.write(LEAVE);
  };
  // Runs at the end of the process too, so that a crash leaves no raw terminal behind.
  process.once("exit", restore);
  io.signal.addEventListener("abort", end, { once: true });
  stdin.setRawMode(true);
  stdin.on("data", onData).on("end", end).resume();
  io.stdout.write(ENTER);
  return {
    columns: io.stdout.columns || 80,
    rows: process.stdout.rows || 24,
    show: (lines) => void io.stdout.write(CLEAR + lines.join("\r\n")),
    async key() {
      while (keys.length === 0 && !ended) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return ended ? undefined : keys.shift();
    },
    close() {
      process.off("exit", restore);
      io.signal.removeEventListener("abort", end);
      stdin.off("data", onData).off("end", end).pause();
      restore();
    },
  };
}
