import { createInterface } from "node:readline/promises";
import { CliError, EXIT, type Io } from "../command.ts";

/**
 * Asks y/N before local damage. `granted` is the command's flag and is looked at first; without a terminal and
 * without the flag it is a usage error that names the flag. Never assumes yes.
 */
export async function confirm(
  io: Io,
  question: string,
  flag: { readonly name: string; readonly granted: boolean },
): Promise<boolean> {
  if (flag.granted) return true;
  const answer = await ask(io, `${question} [y/N] `, flag.name);
  return /^y(es)?$/i.test(answer.trim());
}

/** Asks for a name to be typed before greater damage; `given` is the value of `--confirm=NAME`. */
export async function confirmName(io: Io, question: string, name: string, given: string | undefined): Promise<boolean> {
  if (given !== undefined) return given === name;
  const answer = await ask(io, `${question} Type ${name} to go on: `, `--confirm=${name}`);
  return answer.trim() === name;
}

async function ask(io: Io, prompt: string, flag: string): Promise<string> {
  if (!io.interactive) {
    throw new CliError("cli.input_needed", "this needs a yes, and there is no terminal to ask on", {
      exitCode: EXIT.usage,
      fix: `pass ${flag}`,
    });
  }
  const terminal = createInterface({ input: process.stdin, output: io.stderr });
  try {
    return await terminal.question(prompt, { signal: io.signal });
  } catch (cause) {
    if (io.signal.aborted) return "";
    throw cause;
  } finally {
    terminal.close();
  }
}
