import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { type Journal, type JournalPlan, planText, readJournal, sampleText } from "../../bakeoff/journal.ts";
import type { BakeoffReport } from "../../bakeoff/report.ts";
import type { Sample } from "../../bakeoff/sample.ts";
import { stateFolder } from "../../workspace/state-folder.ts";
import { CliError, EXIT, type Io } from "../command.ts";

/** The files of one bake-off under `.modelrig/bakeoffs/`. */
export interface BakeoffFiles {
  readonly reportPath: string;
  readonly begin: (plan: JournalPlan) => void;
  /** Handed to the operating system when it returns: a crash of this process loses only what is in flight. */
  readonly append: (sample: Sample) => void;
  readonly close: () => void;
  readonly readJournal: () => Journal;
  readonly writeReport: (report: BakeoffReport) => void;
}

export function bakeoffFiles(io: Io, id: string): BakeoffFiles {
  if (!/^[A-Za-z0-9_-]{1,128}$/.test(id)) throw notFound(id);
  const folder = join(stateFolder(io.cwd), "bakeoffs");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const journal = join(folder, `${id}.jsonl`);
  const reportPath = join(folder, `${id}.json`);
  let open: number | undefined;
  return {
    reportPath,
    begin: (plan) => writeFileSync(journal, planText(plan), { mode: 0o600 }),
    append(sample) {
      open ??= openSync(journal, "a", 0o600);
      writeSync(open, sampleText(sample));
    },
    close() {
      if (open !== undefined) closeSync(open);
      open = undefined;
    },
    readJournal() {
      if (!existsSync(journal)) throw notFound(id);
      const read = readJournal(readFileSync(journal, "utf8"));
      if (read) return read;
      throw new CliError("bakeoff.journal", `${journal} cannot be read as a journal`, { exitCode: EXIT.usage });
    },
    writeReport: (report) => writeFileSync(reportPath, `${JSON.stringify(report, null, 2)}\n`, { mode: 0o600 }),
  };
}

function notFound(id: string): CliError {
  return new CliError("bakeoff.not_found", `there is no bake-off ${id} to resume here`, {
    exitCode: EXIT.usage,
    fix: "its journal is .modelrig/bakeoffs/<id>.jsonl",
  });
}
