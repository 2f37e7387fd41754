import type { Io } from "../command.ts";

/** The one JSON document of a `--json` command, on stdout. `schema` names its shape, e.g. `modelrig.keys/1`. */
export function printJson(io: Io, document: Readonly<Record<string, unknown>>): void {
  io.stdout.write(`${JSON.stringify(document)}\n`);
}
