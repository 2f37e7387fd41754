import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Capture } from "../../capture/capture.ts";
import type { CaptureStore } from "../../capture/capture-store.ts";
import type { ImportFormat } from "../../capture/formats/imported-call.ts";
import { IMPORT_FORMATS } from "../../capture/formats/index.ts";
import { type ImportResult, readImport } from "../../capture/import.ts";
import { redactor } from "../../capture/redact.ts";
import { withoutControls } from "../../intake/fields.ts";
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
      .command("import <files...>")
      .description("add captures from your logs or another tool's files; - reads stdin (see docs/capture.md)")
      .option("--route <name>", "route of calls whose file names none")
      .option("--format <name>", `${FORMATS.join(", ")} (default: auto, told by each entry's shape)`)
      .option("--routes <dir>", "folder of route bundles: only routes with `capture: true` are taken (default: routes)")
      .option("--config <file>", "configuration (default: modelrig.yaml where it exists)")
      .option("--json", "print one JSON document")
      .action(
        run((files: string[], options: ImportOptions) =>
          withStore(io, (store) => importFiles(io, store, files, options)),
        ),
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
  readonly route?: string;
  readonly format?: string;
}

const FORMATS = ["auto", "modelrig", ...IMPORT_FORMATS.map(({ name }) => name)];

async function importFiles(
  io: Io,
  store: CaptureStore,
  files: readonly string[],
  options: ImportOptions,
): Promise<ExitCode> {
  const { routes, config } = await compileFor(io, { cwd: io.cwd, routes: options.routes, config: options.config });
  const format = formatNamed(options.format ?? "auto");
  const open = routes.filter(({ capture }) => capture);
  const target = { hasTemplate: routes.some(({ name, template }) => name === options.route && template !== undefined) };
  const texts = files.map((name) => ({ name, text: readText(io, name) }));
  const read = readImport(texts, { route: options.route, format, target, now: Date.now() });
  for (const { place, capture } of read.captures) {
    if (!open.some(({ name }) => name === capture.route)) throw notAllowed(place, capture.route);
  }
  const redact = redactor(config.capture.redact);
  const added = read.captures.filter(({ capture }) => store.add(redact(capture))).length;
  return tellImport(io, read, added, options);
}

function tellImport(io: Io, { captures, refused, passed }: ImportResult, added: number, options: JsonOption): ExitCode {
  const counts = { read: captures.length, added, known: captures.length - added };
  for (const { place, why } of refused) io.stderr.write(`${place}: ${withoutControls(why, " ")}\n`);
  if (options.json) printJson(io, { schema: "modelrig.capture-import/1", ...counts, refused, passed });
  else {
    const others = new Map<string, number>();
    for (const { why } of passed) others.set(why, (others.get(why) ?? 0) + 1);
    const left = [...others].map(([why, count]) => `, left out ${count} (${withoutControls(why, " ")})`).join("");
    const bad = refused.length === 0 ? "" : `, refused ${refused.length}`;
    io.stderr.write(`read ${counts.read}, added ${added}, known already ${counts.known}${left}${bad}\n`);
  }
  if (refused.length === 0) return EXIT.done;
  return captures.length === 0 ? EXIT.usage : EXIT.partial;
}

function formatNamed(name: string): ImportFormat | "modelrig" | undefined {
  if (name === "auto") return undefined;
  const format = name === "modelrig" ? name : IMPORT_FORMATS.find((one) => one.name === name);
  if (format !== undefined) return format;
  throw new CliError("cli.usage", `--format cannot be ${JSON.stringify(name)}`, {
    exitCode: EXIT.usage,
    fix: `one of ${FORMATS.join(", ")}`,
  });
}

function notAllowed(place: string, route: string): CliError {
  return new CliError("captures.not_allowed", `${place}: route ${route} does not say capture: true`, {
    exitCode: EXIT.no,
    fix: `nothing was imported; add \`capture: true\` to the file of ${route}, or name another route`,
  });
}

function readText(io: Io, file: string): string {
  try {
    return readFileSync(file === "-" ? 0 : resolve(io.cwd, file), "utf8");
  } catch (cause) {
    throw new CliError("captures.unreadable", `cannot read ${file}`, { exitCode: EXIT.usage, cause });
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
