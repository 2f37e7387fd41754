import { readFileSync } from "node:fs";
import { Command } from "commander";
import { CliError, EXIT, type Io, type RunAction } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { complete, completionScript } from "./completion.ts";
import { examplesHelp } from "./examples.ts";
import type { GlobalFlags } from "./global-flags.ts";
import { exitCodesHelp } from "./help.ts";

/** What the whole command line is read by, and the command that was reached: whose help an error points to. */
interface Program {
  readonly root: Command;
  readonly reached: () => Command;
}

/** Builds the command line. Only the command that `argv` asks for is loaded, with what is nested in it. */
export async function buildProgram(
  argv: readonly string[],
  io: Io,
  run: RunAction,
  flags: GlobalFlags,
): Promise<Program> {
  const root = new Command("modelrig")
    .description("An LLM gateway you own, at the edge, that proves cheaper models on your own traffic.")
    .version(packageVersion(), "-V, --version", "print the version")
    // Options behind a subcommand's name are its own, also where its parent has one of the same name.
    .enablePositionalOptions()
    .option("--debug", "show stacks and causes of errors")
    .option("--no-input", "never ask; fail where an answer is needed")
    .option("--color <when>", "never, auto or always", "auto")
    .option("--no-color", "same as --color never")
    .addHelpText("after", "\nExit codes: modelrig help exit-codes");
  if (flags.color !== undefined && !["never", "auto", "always"].includes(flags.color)) {
    throw new CliError("cli.usage", `--color takes never, auto or always, not ${JSON.stringify(flags.color)}`, {
      exitCode: EXIT.usage,
    });
  }
  let reached = root;
  const asked = argv.find((word) => !word.startsWith("-") && word !== "help" && word !== "complete");
  for (const entry of COMMANDS) {
    const command = root.command(entry.name).helpGroup(`${entry.group}:`).description(entry.summary);
    if (entry.name === asked) (await entry.load()).command.build(command, io, run);
  }
  root
    .command("help [words...]")
    .helpGroup("Look:")
    .description("show help for a command, or `exit-codes`")
    .action((topic: string[]) => {
      if (topic[0] === "exit-codes") io.stdout.write(exitCodesHelp());
      else commandOf(root, topic).outputHelp();
    });
  root
    .command("completion <shell>")
    .helpGroup("Look:")
    .description("print a completion script for bash, zsh or fish")
    .action((shell: string) => void io.stdout.write(completionScript(shell)));
  root
    .command("complete [words...]", { hidden: true })
    .passThroughOptions()
    .allowUnknownOption()
    .action((before: string[]) => void io.stdout.write(complete(root, before)));
  if (argv.length === 0) root.action(() => root.outputHelp());
  dress(root, io, (command) => {
    reached = command;
  });
  return { root, reached: () => reached };
}

/** The full name of a command, as it is typed. */
export function commandPath(command: Command): string {
  return command.parent === null ? command.name() : `${commandPath(command.parent)} ${command.name()}`;
}

/** Commander writes through `io` and throws instead of exiting; its own error text is printed by us. */
function dress(command: Command, io: Io, reach: (command: Command) => void): void {
  command
    .exitOverride()
    .helpOption("-h, --help", "show help")
    .helpCommand(false)
    .addHelpText(command.parent === null ? "beforeAll" : "before", ({ command: shown }) =>
      shown === command ? examplesHelp(commandPath(command)) : "",
    )
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      outputError: () => reach(command),
    })
    .hook("preAction", (_, actual) => reach(actual));
  for (const nested of command.commands) dress(nested, io, reach);
}

/** Finds `help`'s topic; a word that names no command is a usage error. */
function commandOf(root: Command, words: readonly string[]): Command {
  let found = root;
  for (const word of words) {
    const next = found.commands.find((command) => command.name() === word);
    if (next === undefined) {
      throw new CliError("cli.usage", `${commandPath(found)} has no command ${JSON.stringify(word)}`, {
        exitCode: EXIT.usage,
        fix: `${commandPath(found)} --help`,
      });
    }
    found = next;
  }
  return found;
}

function packageVersion(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
