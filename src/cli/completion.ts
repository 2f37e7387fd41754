import type { Command } from "commander";
import { CliError, EXIT } from "./command.ts";

/** Each asks the command line itself for the candidates, so that a script never falls behind the version installed. */
const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `_modelrig() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen -W "$(modelrig complete -- "\${COMP_WORDS[@]:1:COMP_CWORD-1}" 2>/dev/null)" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _modelrig modelrig
`,
  zsh: `#compdef modelrig
_modelrig() {
  local -a found
  found=(\${(f)"$(modelrig complete -- "\${(@)words[2,CURRENT-1]}" 2>/dev/null)"})
  compadd -a found
  _files
}
compdef _modelrig modelrig
`,
  fish: `complete -c modelrig -a '(set -l words (commandline -opc); modelrig complete -- $words[2..] 2>/dev/null)'
`,
};

/** A script to be sourced by a shell. Throws a usage error for any other shell. */
export function completionScript(shell: string): string {
  const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
  if (script === undefined) {
    throw new CliError("cli.usage", `there is no completion for ${JSON.stringify(shell)}`, {
      exitCode: EXIT.usage,
      fix: `one of: ${Object.keys(SCRIPTS).join(", ")}`,
    });
  }
  return script;
}

/** The words that may follow `before`, one a line: commands nested in the one reached, and its options. */
export function complete(root: Command, before: readonly string[]): string {
  let reached = root;
  const typed = before[0] === "help" ? before.slice(1) : before;
  for (const word of typed) reached = reached.commands.find((command) => command.name() === word) ?? reached;
  const help = root.createHelp();
  const words = [
    ...help.visibleCommands(reached).map((command) => command.name()),
    ...help.visibleOptions(reached).map((option) => option.long ?? option.flags),
  ];
  return words.map((word) => `${word}\n`).join("");
}
