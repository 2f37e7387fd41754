import { WorkspaceError } from "../workspace/workspace-error.ts";
import { CliError, EXIT, type ExitCode, type Io } from "./command.ts";
import { paint } from "./output/style.ts";

/**
 * Prints what went wrong, where, and the way out; answers the exit code. With `json` the error is the one JSON
 * document on stdout, else text on stderr. A stack is shown only with `debug`.
 */
export function reportError(
  io: Io,
  cause: unknown,
  show: { readonly json: boolean; readonly debug: boolean },
): ExitCode {
  const error = toCliError(cause);
  if (show.json) {
    const { code, message, fix, details } = error;
    io.stdout.write(`${JSON.stringify({ schema: "modelrig.error/1", error: { ...details, code, message, fix } })}\n`);
  } else {
    io.stderr.write(`${paint(io.stderr, "red", `error[${error.code}]`)} ${error.message}\n`);
    if (error.fix !== undefined) io.stderr.write(`${paint(io.stderr, "bold", "fix:")} ${error.fix}\n`);
  }
  if (show.debug && cause instanceof Error) {
    for (let link: unknown = cause; link instanceof Error; link = link.cause) io.stderr.write(`${link.stack}\n`);
  }
  return error.exitCode;
}

function toCliError(cause: unknown): CliError {
  if (cause instanceof CliError) return cause;
  if (cause instanceof WorkspaceError) {
    const { code, message, fix, asked } = cause;
    return new CliError(code, message, {
      exitCode: asked ? EXIT.usage : EXIT.unexpected,
      ...(fix === undefined ? {} : { fix }),
      cause,
    });
  }
  const message = cause instanceof Error ? cause.message : String(cause);
  return new CliError("cli.unexpected", message, {
    exitCode: EXIT.unexpected,
    fix: "run the command again with --debug and report what it prints",
    cause,
  });
}
