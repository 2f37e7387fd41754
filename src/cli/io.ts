import type { Io } from "./command.ts";
import { isInteractive } from "./output/interactive.ts";

/** A terminal's Ctrl-C reaches the launcher and us: two signals this close together are one key press. */
const SAME_PRESS_MS = 300;

/**
 * The real process as an `Io`. The first SIGINT or SIGTERM aborts `signal`, so that a command can finish cleanly;
 * a second one ends the process at once with 130.
 */
export function processIo(options: { readonly noInput: boolean }): Io {
  const stop = new AbortController();
  let firstAt = 0;
  const onSignal = (): void => {
    if (!stop.signal.aborted) {
      firstAt = Date.now();
      stop.abort();
    } else if (Date.now() - firstAt > SAME_PRESS_MS) {
      process.exit(130);
    }
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  return {
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: process.cwd(),
    interactive: isInteractive({
      stdin: process.stdin.isTTY === true,
      stderr: process.stderr.isTTY === true,
      env: process.env,
      noInput: options.noInput,
    }),
    signal: stop.signal,
  };
}
