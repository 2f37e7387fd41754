import { readFileSync } from "node:fs";
import { Command, CommanderError } from "commander";
import { CliError, EXIT, type ExitCode, type Io, type RunAction } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { reportError } from "./errors.ts";
import { exitCodesHelp } from "./help.ts";
import { processIo } from "./io.ts";

/** Flags that hold for every command, wherever they stand. */
interface GlobalFlags {
  readonly debug: boolean;
  readonly noInput: boolean;
  readonly json: boolean;
  readonly color: string | undefined;
}

/** Runs one command line against a process and answers its exit code. Never throws, never exits. */
export async function main(argv: readonly string[], io: Io): Promise<ExitCode> {
  const { flags, rest } = takeGlobalFlags(argv);
  let exitCode: ExitCode = EXIT.done;
  const run: RunAction =
    (action) =>
    async (...args) => {
      exitCode = await action(...args);
    };
  try {
    const program = await buildProgram(rest, io, run, flags);
    await program.parseAsync([...rest], { from: "user" });
    return exitCode;
  } catch (cause) {
    if (cause instanceof CommanderError) return usageExit(cause, io, flags);
    return reportError(io, cause, flags);
  }
}

/** The entry of `bin/modelrig.js`: runs the process's own command line and ends the process. */
export async function start(): Promise<void> {
  const argv = process.argv.slice(2);
  const { flags } = takeGlobalFlags(argv);
  if (flags.color === "never") process.env["NO_COLOR"] = "1";
  if (flags.color === "always") process.env["FORCE_COLOR"] = "1";
  // A reader that went away (`| head`) is no error of ours.
  process.stdout.on("error", (error: NodeJS.ErrnoException) =>
    process.exit(error.code === "EPIPE" ? 0 : EXIT.unexpected),
  );
  const exitCode = await main(argv, processIo({ noInput: flags.noInput }));
  await Promise.all([flushed(process.stdout), flushed(process.stderr)]);
  process.exit(exitCode);
}

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write("", () => resolve()));
}

function takeGlobalFlags(argv: readonly string[]): { flags: GlobalFlags; rest: readonly string[] } {
  const rest: string[] = [];
  let debug = false;
  let noInput = false;
  let color: string | undefined;
  for (let index = 0; index < argv.length; index += 1) {
    const word = argv[index] ?? "";
    if (word === "--") {
      rest.push(...argv.slice(index));
      break;
    }
    if (word === "--debug") debug = true;
    else if (word === "--no-input") noInput = true;
    else if (word.startsWith("--color=")) color = word.slice("--color=".length);
    else if (word === "--color") {
      index += 1;
      color = argv[index];
    } else rest.push(word);
  }
  const json = rest.some((word) => word === "--json" || word.startsWith("--json="));
  return { flags: { debug, noInput, json, color }, rest };
}

async function buildProgram(argv: readonly string[], io: Io, run: RunAction, flags: GlobalFlags): Promise<Command> {
  const program = quiet(new Command("modelrig"), io)
    .description("An LLM gateway you own, at the edge, that proves cheaper models on your own traffic.")
    .version(packageVersion(), "-V, --version", "print the version")
    // Options behind a subcommand's name are its own, also where its parent has one of the same name.
    .enablePositionalOptions()
    .option("--debug", "show stacks and causes of errors")
    .option("--no-input", "never ask; fail where an answer is needed")
    .option("--color <when>", "never, auto or always", "auto")
    .addHelpText("beforeAll", argv.some((word) => !word.startsWith("-")) ? "" : EXAMPLES)
    .addHelpText("after", "\nExit codes: modelrig help exit-codes");
  if (flags.color !== undefined && !["never", "auto", "always"].includes(flags.color)) {
    throw new CliError("cli.usage", `--color takes never, auto or always, not ${JSON.stringify(flags.color)}`, {
      exitCode: EXIT.usage,
    });
  }
  const words = argv.filter((word) => !word.startsWith("-"));
  const asked = words[0] === "help" ? words[1] : words[0];
  for (const entry of COMMANDS) {
    const command = quiet(program.command(entry.name), io).helpGroup(`${entry.group}:`).description(entry.summary);
    if (entry.name !== asked) continue;
    const module = await entry.load();
    module.command.build(command, io, run);
    for (const nested of command.commands) quiet(nested, io);
  }
  program.helpCommand(false);
  program
    .command("help [topic]")
    .helpGroup("Look:")
    .description("show help for a command, or `exit-codes`")
    .action((topic: string | undefined) => {
      if (topic === "exit-codes") io.stdout.write(exitCodesHelp());
      else (program.commands.find((command) => command.name() === topic) ?? program).outputHelp();
    });
  if (argv.length === 0) program.action(() => program.outputHelp());
  return program;
}

/** Commander writes through `io` and throws instead of exiting; its own error text is printed by us. */
function quiet(command: Command, io: Io): Command {
  return command
    .exitOverride()
    .helpOption("-h, --help", "show help")
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      outputError: () => undefined,
    });
}

const EXAMPLES = `EXAMPLES
  modelrig dev                                           start the gateway here; prints a curl to try
  modelrig bakeoff --route example.support_summarize     compare its variants on recorded calls
  modelrig deploy --dry-run                              show what a deploy would do

`;

function usageExit(error: CommanderError, io: Io, flags: GlobalFlags): ExitCode {
  if (error.exitCode === 0) return EXIT.done;
  if (error.code === "commander.help") return EXIT.usage;
  const message = error.message.replace(/^error: /, "").replace(/\n\(Did you mean (.+)\?\)$/, "; did you mean $1?");
  const fix = "modelrig --help";
  return reportError(io, new CliError("cli.usage", message, { exitCode: EXIT.usage, fix }), flags);
}

function packageVersion(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
