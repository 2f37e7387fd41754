import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { type BakeoffJournal, planText, readJournal } from "../../../bakeoff/execution/journal.ts";
import type { JournalPlan } from "../../../bakeoff/plan/journal-plan.ts";
import type { BakeoffReport } from "../../../bakeoff/report/bakeoff-report.ts";
import { makeFolder } from "../../../localdb/make-folder.ts";
import { stateFolder } from "../../../workspace/state-folder.ts";
import { CliError, EXIT, type Io } from "../../command.ts";
import { openInputs, type StoredInputs } from "./input-file.ts";
import { type OutputFile, outputFile } from "./output-file.ts";

/** The files of one bake-off under `.modelrig/bakeoffs/`, all readable by their owner only. */
export interface BakeoffFiles {
  readonly reportPath: string;
  readonly journalPath: string;
  readonly gradesPath: string;
  readonly inputsPath: string;
  readonly outputsPath: string;
  /** Refuses where another process runs this bake-off: both would pay for the same samples. */
  readonly lock: () => void;
  readonly begin: (plan: JournalPlan) => void;
  /** Handed to the operating system when it returns: a crash of this process loses only what is in flight. */
  readonly append: (line: string) => void;
  readonly close: () => void;
  readonly readJournal: () => BakeoffJournal;
  readonly readInputs: () => StoredInputs;
  /** Of a bake-off that was only looked at. */
  readonly removeInputs: () => void;
  readonly outputs: OutputFile;
  readonly writeReport: (report: BakeoffReport) => void;
}

export function bakeoffFolder(cwd: string): string {
  const folder = join(stateFolder(cwd), "bakeoffs");
  makeFolder(folder, 0o700);
  return folder;
}

export function bakeoffFiles(io: Io, id: string): BakeoffFiles {
  if (!/^[A-Za-z0-9_-]{1,128}$/.test(id)) throw notFound(id);
  const folder = bakeoffFolder(io.cwd);
  const journal = join(folder, `${id}.jsonl`);
  const reportPath = join(folder, `${id}.json`);
  const inputsPath = join(folder, `${id}.inputs.jsonl`);
  const outputsPath = join(folder, `${id}.outputs.jsonl`);
  const outputs = outputFile(outputsPath);
  const lockPath = join(folder, `${id}.lock`);
  let open: number | undefined;
  let locked = false;
  return {
    journalPath: journal,
    // Not `.json`: those are reports.
    gradesPath: join(folder, `${id}.grades`),
    lock() {
      takeLock(lockPath, id);
      locked = true;
    },
    reportPath,
    inputsPath,
    outputsPath,
    outputs,
    begin: (plan) => writeFileSync(journal, planText(plan), { mode: 0o600 }),
    append(line) {
      open ??= openAfterLastLine(journal);
      writeSync(open, line);
    },
    close() {
      if (open !== undefined) closeSync(open);
      open = undefined;
      outputs.close();
      if (locked) rmSync(lockPath, { force: true });
      locked = false;
    },
    readJournal() {
      if (!existsSync(journal)) throw notFound(id);
      const read = readJournal(readFileSync(journal, "utf8"));
      if (read) return read;
      throw unreadable(journal, "a journal");
    },
    readInputs() {
      const read = openInputs(inputsPath);
      if (read) return read;
      throw unreadable(inputsPath, "the inputs of a bake-off");
    },
    removeInputs: () => rmSync(inputsPath, { force: true }),
    writeReport: (report) => writeFileSync(reportPath, `${JSON.stringify(report, null, 2)}\n`, { mode: 0o600 }),
  };
}

/** Texts of the reports of earlier bake-offs, newest first: ids sort by time. */
export function earlierReports(cwd: string, most: number): string[] {
  const folder = bakeoffFolder(cwd);
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .sort()
    .reverse()
    .slice(0, most)
    .map((name) => readFileSync(join(folder, name), "utf8"));
}

/** The file names the process; one that is gone holds nothing. */
function takeLock(path: string, id: string): void {
  for (let attempt = 0; attempt < 2; attempt += 1) {
    try {
      writeFileSync(path, String(process.pid), { flag: "wx", mode: 0o600 });
      return;
    } catch (cause) {
      const holder = existsSync(path) ? Number(readFileSync(path, "utf8")) : 0;
      if (isRunning(holder)) {
        throw new CliError("bakeoff.running", `bake-off ${id} is being run by process ${holder}`, {
          exitCode: EXIT.usage,
          fix: "wait for it, or end it (Ctrl-C leaves what it paid for)",
          cause,
        });
      }
      rmSync(path, { force: true });
    }
  }
}

function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    // EPERM: it runs, for somebody else.
    return cause instanceof Error && "code" in cause && cause.code === "EPERM";
  }
}

/** A line that a crash cut is taken away: what is written after it would be lost with it. */
function openAfterLastLine(journal: string): number {
  if (existsSync(journal)) truncateSync(journal, readFileSync(journal).lastIndexOf("\n") + 1);
  return openSync(journal, "a", 0o600);
}

function unreadable(file: string, what: string): CliError {
  return new CliError("bakeoff.journal", `${file} cannot be read as ${what}`, { exitCode: EXIT.usage });
}

function notFound(id: string): CliError {
  return new CliError("bakeoff.not_found", `there is no bake-off ${id} to resume here`, {
    exitCode: EXIT.usage,
    fix: "its journal is .modelrig/bakeoffs/<id>.jsonl",
  });
}
