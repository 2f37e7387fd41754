import { existsSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { guideText } from "../../observe/guide.ts";
import { type Observation, observe } from "../../observe/observe.ts";
import { openProject, type Project } from "../../observe/project.ts";
import { lineOf } from "../../observe/syntax.ts";
import { CliError, type CommandModule, EXIT, type ExitCode, type Io } from "../command.ts";
import { printJson } from "../output/json.ts";

interface Options {
  readonly scope: string;
  readonly dryRun?: boolean;
  readonly force?: boolean;
  readonly json?: boolean;
}

export const command: CommandModule = {
  build(command, io, run) {
    command
      .argument("[path]", "file or folder of the pipeline", ".")
      .requiredOption("--scope <pipeline>", "name of the pipeline; its calls carry it as a tag")
      .option("--dry-run", "print OBSERVE.md instead of writing it")
      .option("--force", "overwrite an earlier OBSERVE.md")
      .option("--json", "print one JSON document")
      .addHelpText(
        "after",
        "\nWrites OBSERVE.md, whose diffs watch the clients where they are made; edits no other file. Exit code 3: no client was found.",
      )
      .action(run((path: string, options: Options) => observePipeline(io, path, options)));
  },
};

/** As tags and task names take it. */
const PIPELINE = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

async function observePipeline(io: Io, path: string, options: Options): Promise<ExitCode> {
  if (!PIPELINE.test(options.scope)) {
    throw new CliError(
      "observe.scope",
      `--scope takes letters, digits and . _ -, not ${JSON.stringify(options.scope)}`,
      {
        exitCode: EXIT.usage,
      },
    );
  }
  const project = openProject(io.cwd, path);
  const observation = observe(project, options.scope);
  if (!observation) return nothingFound(io, path, project, options);
  const text = guideText(observation, project);
  if (!options.dryRun) write(project.root, text, options.force === true);
  if (options.json) printJson(io, document(observation, project, options.dryRun === true ? text : undefined));
  else if (options.dryRun) io.stdout.write(text);
  else summarize(io, observation, project);
  return EXIT.done;
}

function nothingFound(io: Io, path: string, { files, unreadable }: Project, { json, scope }: Options): ExitCode {
  if (json) printJson(io, { schema: SCHEMA, pipeline: scope, written: [], clients: [], unreadable });
  else {
    io.stderr.write(
      `no known client is made in ${path} (${files.length} files read, ${unreadable.length} unreadable)\n`,
    );
    io.stderr.write(
      "known: OpenAI SDK, Anthropic SDK, Google Gen AI SDK, AI SDK, LangChain; record others with rig.recordCall\n",
    );
  }
  return EXIT.no;
}

const GUIDE = "OBSERVE.md";

function write(root: string, text: string, force: boolean): void {
  const file = join(root, GUIDE);
  if (existsSync(file) && !force) {
    throw new CliError("observe.exists", `${GUIDE} exists already`, {
      exitCode: EXIT.usage,
      fix: "look at it with --dry-run, then overwrite it with --force",
    });
  }
  writeFileSync(file, text);
}

function summarize(io: Io, { files }: Observation, { root }: Project): void {
  const sites = files.flatMap((file) => file.sites);
  for (const { file, node, client, watcher, byHand } of sites) {
    io.stdout.write(
      `${file.path}:${lineOf(node)}  ${client}  ${byHand === undefined ? watcher : `by hand: ${byHand}`}\n`,
    );
  }
  const open = sites.filter(({ byHand }) => byHand !== undefined).length;
  const folder = relative(io.cwd, root) || ".";
  io.stderr.write(`wrote ${GUIDE} in ${folder}; no other file was touched\n`);
  const rest = open > 0 ? `; ${open} of ${sites.length} clients are left to do by hand` : "";
  io.stderr.write(`next: read ${GUIDE}, then \`git apply ${GUIDE}\` in ${folder}${rest}\n`);
}

const SCHEMA = "modelrig.observe/2";

function document(
  { pipeline, files }: Observation,
  { root, unreadable }: Project,
  dry: string | undefined,
): Record<string, unknown> {
  return {
    ...{ schema: SCHEMA, pipeline, root, unreadable },
    written: dry === undefined ? [GUIDE] : [],
    ...(dry === undefined ? {} : { would_write: [{ path: GUIDE, text: dry }] }),
    clients: files.flatMap(({ path, sites }) =>
      sites.map(({ node, client, watcher, byHand: why }) => ({
        ...{ file: path, line: lineOf(node), client, watcher, placed: why === undefined, why },
      })),
    ),
  };
}
