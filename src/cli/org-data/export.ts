import { appendFileSync, existsSync, renameSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { exportData } from "../../api/org.ts";
import { recordAt, stringAt } from "../../json/record.ts";
import { CliError, EXIT, type ExitCode, type Io } from "../command.ts";
import { type Gateway, type GatewayOptions, gatewayFrom } from "../gateway-client.ts";
import { printJson } from "../output/json.ts";

export interface ExportOptions extends GatewayOptions {
  readonly force?: boolean;
  readonly json?: boolean;
}

/** Attempts in a row that bring no page before the export is given up. */
const MOST_IDLE_ATTEMPTS = 5;

/** Writes all the org has, as JSON Lines, into a file that appears under its name only when it is whole. */
export async function exportOrg(io: Io, name: string, options: ExportOptions): Promise<ExitCode> {
  const file = resolve(io.cwd, name);
  if (existsSync(file) && !options.force) {
    const fix = "pass another name, or --force to replace it";
    throw new CliError("db.export_exists", `${name} is there already`, { exitCode: EXIT.usage, fix });
  }
  const gateway = gatewayFrom(io, options);
  const part = `${file}.part`;
  const progress: Progress = { rows: new Map(), after: undefined, done: false };
  // Readable by the user alone: it holds the org's texts.
  writeFileSync(part, "", { mode: 0o600 });
  for (let idle = 0; !progress.done; ) {
    const before = progress.after;
    const broken = await takePages(gateway, part, progress);
    idle = progress.after === before ? idle + 1 : 0;
    if (progress.done || broken === undefined) continue;
    if (io.signal.aborted)
      throw new CliError("cli.interrupted", `interrupted; ${part} holds a part`, { exitCode: EXIT.interrupted });
    if (idle >= MOST_IDLE_ATTEMPTS) throw brokenOff(part, broken);
    io.stderr.write("the download broke off; going on after the last whole page\n");
  }
  renameSync(part, file);
  const rows = [...progress.rows.values()].reduce((sum, count) => sum + count, 0);
  if (options.json)
    printJson(io, { schema: "modelrig.db-export/1", file, rows, tables: Object.fromEntries(progress.rows) });
  else io.stdout.write(`${rows} rows of ${progress.rows.size} tables written to ${name}\n`);
  return EXIT.done;
}

interface Progress {
  readonly rows: Map<string, number>;
  /** Where to go on: of the last page that arrived whole. */
  after: string | undefined;
  done: boolean;
}

/** Appends whole pages until the end. Returns why the download broke off; a refusal throws. */
async function takePages(gateway: Gateway, part: string, progress: Progress): Promise<unknown> {
  const first = progress.after === undefined;
  const { body } = await gateway.open(exportData, { after: progress.after });
  if (body === null) return new Error("the answer has no body");
  let page: string[] = [];
  try {
    for await (const line of createInterface({ input: Readable.from(body) })) {
      const json: unknown = JSON.parse(line);
      const type = stringAt(json, "type");
      // Stated anew at the beginning of each answer.
      if (type !== "export" || first) page.push(line);
      if (type !== "page" && type !== "end") continue;
      appendFileSync(part, `${page.join("\n")}\n`);
      count(page, progress.rows);
      page = [];
      progress.after = stringAt(json, "after") ?? progress.after;
      progress.done = type === "end";
    }
    return progress.done ? undefined : new Error("the answer ended before its last line");
  } catch (cause) {
    return cause;
  }
}

function count(page: readonly string[], rows: Map<string, number>): void {
  for (const line of page) {
    const json: unknown = JSON.parse(line);
    const table = recordAt(json, "row") && stringAt(json, "table");
    if (table !== undefined) rows.set(table, (rows.get(table) ?? 0) + 1);
  }
}

function brokenOff(part: string, cause: unknown): CliError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new CliError("db.export_broken", `the export broke off again and again: ${why}`, {
    exitCode: EXIT.partial,
    fix: `run it again; ${part} holds what arrived`,
    cause,
  });
}
