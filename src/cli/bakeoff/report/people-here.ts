/** What people said of outputs that a judge judged too, in bake-offs of this machine. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { GOOD, type GradesFile } from "../../../bakeoff/judge/human-grades.ts";
import { addedTables, type PeopleTable } from "../../../bakeoff/judge/people-table.ts";
import { type BakeoffReport, bakeoffReport } from "../../../bakeoff/report/bakeoff-report.ts";
import { withPeople } from "../../../bakeoff/report/with-people.ts";
import { parsedJson } from "../../../json/parsed.ts";
import { scoresBy } from "../../../render/page/local-samples.ts";
import type { Io } from "../../command.ts";
import { bakeoffFolder } from "../files/bakeoff-files.ts";
import { storedGrades } from "../files/grade-file.ts";
import { localSamples } from "./past-report.ts";

const REPORT = /^(.+)\.grades$/;

/** Of every bake-off here whose judge was the same, with the same rubric, on the same route. */
export function peopleOn(io: Io, subject: string): PeopleTable | undefined {
  const folder = bakeoffFolder(io.cwd);
  const tables = readdirSync(folder).flatMap((file) => {
    const id = REPORT.exec(file)?.[1];
    const report = id === undefined ? undefined : reportIn(join(folder, `${id}.json`));
    if (!report || report.judge?.subject !== subject) return [];
    return storedGrades(io, report.id).flatMap((grades) => peopleTableOf(io, report, grades) ?? []);
  });
  return addedTables(tables);
}

/** A report of this machine with what people said since it was made. */
export function withGrades(io: Io, report: BakeoffReport): BakeoffReport {
  const subject = report.judge?.subject;
  return subject === undefined ? report : withPeople(report, peopleOn(io, subject));
}

/** Blind grades only, on outputs that the judge scored. */
function peopleTableOf(io: Io, report: BakeoffReport, { grades }: GradesFile): PeopleTable | undefined {
  const local = report.metric === "judge" ? localSamples(io, report.id) : undefined;
  if (!local) return undefined;
  const scores = scoresBy(report, local);
  const pass = report.objective.quality_gate?.min_score ?? GOOD;
  const table = { passed: 0, passed_agreed: 0, failed: 0, failed_agreed: 0 };
  for (const { input, arm, blind, score } of grades) {
    const measured = scores.of(arm).get(input);
    if (!blind || measured === undefined) continue;
    const passes = measured >= pass;
    if (score >= GOOD) {
      table.passed += 1;
      if (passes) table.passed_agreed += 1;
    } else {
      table.failed += 1;
      if (!passes) table.failed_agreed += 1;
    }
  }
  return table;
}

function reportIn(path: string): BakeoffReport | undefined {
  if (!existsSync(path)) return undefined;
  const read = bakeoffReport.safeParse(parsedJson(readFileSync(path, "utf8")));
  return read.success ? read.data : undefined;
}
