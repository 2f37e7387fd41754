import { CommanderError } from "commander";
import { CliError, EXIT, type ExitCode, type Io, type RunAction } from "./command.ts";
import { reportError } from "./errors.ts";
import { type GlobalFlags, takeGlobalFlags } from "./global-flags.ts";
import { processIo } from "./io.ts";
import { buildProgram, commandPath } from "./program.ts";

/** Runs one command line against a process and answers its exit code. Never throws, never exits. */
export async function main(argv: readonly string[], io: Io): Promise<ExitCode> {
  const { flags, rest } = takeGlobalFlags(argv);
  let exitCode: ExitCode = EXIT.done;
  const run: RunAction =
    (action) =>
    async (...args) => {
      exitCode = await action(...args);
    };
  let help = "modelrig --help";
  try {
    const { root, reached } = await buildProgram(rest, io, run, flags);
    await root.parseAsync([...rest], { from: "user" }).finally(() => {
      help = `${commandPath(reached())} --help`;
    });
    return exitCode;
  } catch (cause) {
    if (cause instanceof CommanderError) return usageExit(cause, help, io, flags);
    return reportError(io, pointingTo(help, cause), flags);
  }
}

/** The entry of `bin/modelrig.js`: runs the process's own command line and ends the process. */
export async function start(): Promise<void> {
  const argv = process.argv.slice(2);
  const { flags } = takeGlobalFlags(argv);
  if (flags.color === "never") process.env["NO_COLOR"] = "1";
  if (flags.color === "always") process.env["FORCE_COLOR"] = "1";
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    // A reader that went away (`| head`) has what it wanted.
    if (error.code === "EPIPE") process.exit(EXIT.done);
    const said = `error[cli.output] stdout cannot be written: ${error.message}\n`;
    process.stderr.write(said, () => process.exit(EXIT.unexpected));
  });
  // Where nobody reads messages the work goes on; its exit code still tells how it ended.
  process.stderr.on("error", () => undefined);
  const exitCode = await main(argv, processIo({ noInput: flags.noInput }));
  await Promise.all([flushed(process.stdout), flushed(process.stderr)]);
  process.exit(exitCode);
}

/** A usage error that names no way out points to the help of the command that found it. */
function pointingTo(help: string, cause: unknown): unknown {
  if (!(cause instanceof CliError) || cause.exitCode !== EXIT.usage || cause.fix !== undefined) return cause;
  const { code, message, exitCode, details } = cause;
  return new CliError(code, message, { exitCode, details, cause: cause.cause, fix: help });
}

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write("", () => resolve()));
}

function usageExit(error: CommanderError, help: string, io: Io, flags: GlobalFlags): ExitCode {
  if (error.exitCode === 0) return EXIT.done;
  if (error.code === "commander.help") return EXIT.usage;
  const message = error.message.replace(/^error: /, "").replace(/\n\(Did you mean (.+)\?\)$/, "; did you mean $1?");
  return reportError(io, new CliError("cli.usage", message, { exitCode: EXIT.usage, fix: help }), flags);
}
