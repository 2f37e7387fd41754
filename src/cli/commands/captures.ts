import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Capture } from "../../capture/capture.ts";
import type { CaptureStore } from "../../capture/capture-store.ts";
import { readCaptureLine } from "../../capture/import.ts";
import { redactor } from "../../capture/redact.ts";
import { openCaptures } from "../../workspace/local-captures.ts";
import { CliError, type CommandModule, EXIT, type ExitCode, type Io } from "../command.ts";
import { compileFor } from "../compile.ts";
import { confirm } from "../output/confirm.ts";
import { printJson } from "../output/json.ts";
import { printTable } from "../output/table.ts";

interface JsonOption {
  readonly json?: boolean;
}

interface DeleteOptions {
  readonly route?: string;
  readonly olderThan?: string;
  readonly all?: boolean;
  readonly yes?: boolean;
}

export const command: CommandModule = {
  build(command, io, run) {
    command
      .command("list")
      .description("the newest captures, without their text")
      .option("--route <name>", "of one route")
      .option("--limit <n>", "how many", "20")
      .option("--json", "print one JSON document, with text")
      .action(run((options: ListOptions) => withStore(io, (store) => list(io, store, options))));
    command
      .command("show <id>")
      .description("one capture with its text")
      .option("--json", "print one JSON document")
      .action(run((id: string, options: JsonOption) => withStore(io, (store) => show(io, store, id, options))));
    command
      .command("stats")
      .description("how much is captured, by route")
      .option("--json", "print one JSON document")
      .action(run((options: JsonOption) => withStore(io, (store) => stats(io, store, options))));
    command
      .command("delete [ids...]")
      .description("delete captures by id, route, age, or all")
      .option("--route <name>", "of one route")
      .option("--older-than <days>", "older than so many days")
      .option("--all", "every capture")
      .option("--yes", "do not ask")
      .action(
        run((ids: string[], options: DeleteOptions) => withStore(io, (store) => remove(io, store, ids, options))),
      );
    command
      .command("import <file>")
      .description("add captures from JSON lines; - reads stdin (see docs/capture.md)")
      .option("--routes <dir>", "folder of route bundles: only routes with `capture: true` are taken (default: routes)")
      .option("--config <file>", "configuration (default: modelrig.yaml where it exists)")
      .option("--json", "print one JSON document")
      .action(
        run((file: string, options: ImportOptions) => withStore(io, (store) => importFile(io, store, file, options))),
      );
  },
};

async function withStore(io: Io, work: (store: CaptureStore) => Promise<ExitCode>): Promise<ExitCode> {
  const store = openCaptures(io.cwd);
  try {
    return await work(store);
  } finally {
    store.close();
  }
}

interface ListOptions extends JsonOption {
  readonly route?: string;
  readonly limit: string;
}

async function list(io: Io, store: CaptureStore, options: ListOptions): Promise<ExitCode> {
  const captures = store.list({ route: options.route, limit: positive("--limit", options.limit) });
  if (options.json) {
    printJson(io, { schema: "modelrig.captures/1", captures: captures.map(document) });
    return EXIT.done;
  }
  if (captures.length === 0) io.stderr.write("nothing captured yet; start with: modelrig capture\n");
  const columns = [
    { header: "id" },
    { header: "time" },
    { header: "route", shrink: true },
    { header: "kind" },
    { header: "served", shrink: true },
    { header: "outcome", shrink: true },
  ];
  const rows = captures.map((one) => [
    one.id,
    new Date(one.at).toISOString(),
    one.variant === undefined ? one.route : `${one.route}@${one.variant}`,
    one.payload.kind,
    one.served ?? "",
    one.outcome,
  ]);
  printTable(io, columns, rows);
  return EXIT.done;
}

async function show(io: Io, store: CaptureStore, id: string, options: JsonOption): Promise<ExitCode> {
  const capture = store.get(id);
  if (!capture) {
    throw new CliError("captures.not_found", `there is no capture ${id}`, {
      exitCode: EXIT.no,
      fix: "modelrig captures list",
    });
  }
  if (options.json) printJson(io, { schema: "modelrig.capture/1", ...document(capture) });
  else io.stdout.write(`${JSON.stringify(document(capture), null, 2)}\n`);
  return EXIT.done;
}

async function stats(io: Io, store: CaptureStore, options: JsonOption): Promise<ExitCode> {
  const routes = store.stats();
  if (options.json) {
    printJson(io, {
      schema: "modelrig.capture-stats/1",
      routes: routes.map(({ oldest, newest, ...rest }) => ({ ...rest, oldest: iso(oldest), newest: iso(newest) })),
    });
    return EXIT.done;
  }
  const columns = [
    { header: "route", shrink: true },
    { header: "captures", align: "right" as const },
    { header: "answered", align: "right" as const },
    { header: "kB", align: "right" as const },
    { header: "oldest" },
    { header: "newest" },
  ];
  printTable(
    io,
    columns,
    routes.map((one) => [
      one.route,
      String(one.captures),
      String(one.answered),
      String(Math.ceil(one.bytes / 1024)),
      iso(one.oldest),
      iso(one.newest),
    ]),
  );
  return EXIT.done;
}

async function remove(io: Io, store: CaptureStore, ids: readonly string[], options: DeleteOptions): Promise<ExitCode> {
  const { route, olderThan, all, yes = false } = options;
  const filtered = route !== undefined || olderThan !== undefined || all === true;
  if (filtered === ids.length > 0) {
    throw new CliError("cli.usage", "say which: ids, or --route, --older-than, or --all", { exitCode: EXIT.usage });
  }
  if (!(await confirm(io, "Delete these captures for good?", { name: "--yes", granted: yes }))) return EXIT.no;
  const before = olderThan === undefined ? undefined : Date.now() - positive("--older-than", olderThan) * 86_400_000;
  const count = filtered ? store.deleteWhere({ route, before }) : store.delete(ids);
  io.stderr.write(`deleted ${count}\n`);
  return filtered || count === ids.length ? EXIT.done : EXIT.no;
}

interface ImportOptions extends JsonOption {
  readonly routes?: string;
  readonly config?: string;
}

async function importFile(io: Io, store: CaptureStore, file: string, options: ImportOptions): Promise<ExitCode> {
  const { routes, config } = await compileFor(io, { cwd: io.cwd, routes: options.routes, config: options.config });
  const open = new Set(routes.filter(({ capture }) => capture).map(({ name }) => name));
  const redact = redactor(config.capture.redact);
  const captures = readLines(io, file).map(({ number, text }) => {
    const capture = lineAt(file, number, text);
    if (open.has(capture.route)) return redact(capture);
    throw new CliError("captures.not_allowed", `${file}:${number}: route ${capture.route} does not say capture: true`, {
      exitCode: EXIT.no,
    });
  });
  const added = captures.filter((capture) => store.add(capture)).length;
  const result = { read: captures.length, added, known: captures.length - added };
  if (options.json) printJson(io, { schema: "modelrig.capture-import/1", ...result });
  else io.stderr.write(`read ${result.read}, added ${result.added}, known already ${result.known}\n`);
  return EXIT.done;
}

function readLines(io: Io, file: string): { number: number; text: string }[] {
  let text: string;
  try {
    text = readFileSync(file === "-" ? 0 : resolve(io.cwd, file), "utf8");
  } catch (cause) {
    throw new CliError("captures.unreadable", `cannot read ${file}`, { exitCode: EXIT.usage, cause });
  }
  return text.split("\n").flatMap((line, index) => (line.trim() === "" ? [] : [{ number: index + 1, text: line }]));
}

function lineAt(file: string, number: number, text: string): Capture {
  try {
    return readCaptureLine(text, Date.now());
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new CliError("captures.bad_line", `${file}:${number}: ${message}`, { exitCode: EXIT.usage, cause });
  }
}

/** A capture as people and scripts see it; the shape `import` reads. */
function document(capture: Capture): Record<string, unknown> {
  const { payload } = capture;
  return {
    id: capture.id,
    route: capture.route,
    variant: capture.variant,
    ts: iso(capture.at),
    ...(payload.kind === "variables" ? { variables: payload.variables } : { request: payload.request }),
    output: capture.output,
    outcome: capture.outcome,
    inference_id: capture.inferenceId,
    served: capture.served,
    tags: capture.tags,
  };
}

function positive(flag: string, text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value > 0) return value;
  throw new CliError("cli.usage", `${flag} takes a whole number above 0, not ${JSON.stringify(text)}`, {
    exitCode: EXIT.usage,
  });
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
