import { existsSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { CliError, type CommandModule, EXIT, type ExitCode, type Io } from "../command.ts";
import { guideText } from "../observe/guide.ts";
import { type Observation, observe } from "../observe/observe.ts";
import { openProject, type Project } from "../observe/project.ts";
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
      .requiredOption("--scope <pipeline>", "name of the one pipeline to observe; its runs carry it")
      .option("--dry-run", "print what would be written")
      .option("--force", "overwrite an earlier record-step module and OBSERVE.md")
      .option("--json", "print one JSON document")
      .addHelpText(
        "after",
        "\nWrites a record-step module and OBSERVE.md; edits no other file. Exit code 3: no model call was found.",
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
  const files = [
    { path: observation.style.seam, text: observation.seam },
    { path: "OBSERVE.md", text: guideText(observation, project) },
  ];
  if (!options.dryRun) write(project.root, files, options.force === true);
  if (options.json) printJson(io, document(observation, project, options.dryRun === true ? files : undefined));
  else if (options.dryRun) for (const file of files) io.stdout.write(`${file.path}:\n\n${file.text}\n`);
  else summarize(io, observation, project);
  return EXIT.done;
}

function nothingFound(io: Io, path: string, { files, unreadable }: Project, { json, scope }: Options): ExitCode {
  const schema = "modelrig.observe/1";
  if (json) printJson(io, { schema, pipeline: scope, written: [], calls: [], entries: [], unreadable });
  else {
    io.stderr.write(
      `no call of a known client in ${path} (${files.length} files read, ${unreadable.length} unreadable)\n`,
    );
    io.stderr.write(
      "known: OpenAI SDK, Anthropic SDK, Google Gen AI SDK, AI SDK, LangChain; record others with rig.recordCall\n",
    );
  }
  return EXIT.no;
}

interface Written {
  readonly path: string;
  readonly text: string;
}

/** Both or none. */
function write(root: string, files: readonly Written[], force: boolean): void {
  const taken = files.filter(({ path }) => existsSync(join(root, path)));
  if (taken.length > 0 && !force) {
    const names = taken.map(({ path }) => path).join(" and ");
    throw new CliError("observe.exists", `${names} ${taken.length > 1 ? "exist" : "exists"} already`, {
      exitCode: EXIT.usage,
      fix: "look at it with --dry-run, then overwrite it with --force",
    });
  }
  for (const { path, text } of files) writeFileSync(join(root, path), text);
}

function summarize(io: Io, observation: Observation, { root }: Project): void {
  const calls = observation.files.flatMap((file) => file.calls);
  const open = calls.filter(({ unplaced }) => unplaced);
  for (const file of observation.files) {
    for (const { site, line, stepKey, unplaced } of file.calls) {
      const mark = unplaced ? `by hand: ${unplaced.why}` : `step ${stepKey}`;
      io.stdout.write(`${file.path}:${line}  ${site.client} ${site.method}  ${mark}\n`);
    }
    for (const { entry, line, unplaced } of file.entries) {
      io.stdout.write(`${file.path}:${line}  ${entry.name}()  ${unplaced ? `no run: ${unplaced.why}` : "a run"}\n`);
    }
  }
  const folder = relative(io.cwd, root) || ".";
  io.stderr.write(`wrote ${observation.style.seam} and OBSERVE.md in ${folder}; no other file was touched\n`);
  const rest = open.length > 0 ? `; ${open.length} of ${calls.length} calls are left to do by hand` : "";
  io.stderr.write(`next: read OBSERVE.md, then \`git apply OBSERVE.md\` in ${folder}${rest}\n`);
}

function document(
  { pipeline, style, files }: Observation,
  { root, unreadable }: Project,
  dry: readonly Written[] | undefined,
): Record<string, unknown> {
  return {
    ...{ schema: "modelrig.observe/1", pipeline, root, unreadable },
    written: dry ? [] : [style.seam, "OBSERVE.md"],
    ...(dry ? { would_write: dry } : {}),
    calls: files.flatMap((file) =>
      file.calls.map(({ site, line, stepKey, notes, unplaced }) => ({
        ...{ file: file.path, line, client: site.client, method: site.method, step: stepKey, notes },
        ...{ provider: site.servedBy ?? null, placed: !unplaced, why: unplaced?.why },
      })),
    ),
    entries: files.flatMap((file) =>
      file.entries.map(({ entry, line, unplaced }) => ({
        ...{ file: file.path, line, function: entry.name, placed: !unplaced, why: unplaced?.why },
      })),
    ),
  };
}
