/** Flags that hold for every command, wherever they stand before `--`. */
export interface GlobalFlags {
  readonly debug: boolean;
  readonly noInput: boolean;
  readonly json: boolean;
  readonly color: string | undefined;
}

/** Reads the global flags out of a command line; `rest` is what the commands see. */
export function takeGlobalFlags(argv: readonly string[]): { flags: GlobalFlags; rest: readonly string[] } {
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
    else if (word === "--no-color") color = "never";
    else if (word.startsWith("--color=")) color = word.slice("--color=".length);
    else if (word === "--color") {
      index += 1;
      color = argv[index] ?? "";
    } else rest.push(word);
  }
  const json = rest.some((word) => word === "--json" || word.startsWith("--json="));
  return { flags: { debug, noInput, json, color }, rest };
}
