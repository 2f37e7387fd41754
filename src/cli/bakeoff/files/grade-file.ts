/** Grades of a bake-off's outputs: kept on this machine beside it, and sent to the gateway as grades of its calls. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { z } from "zod";
import { ingest, ingestAnswer } from "../../../api/reports.ts";
import { type GivenGrade, type GradesFile, gradesFile } from "../../../bakeoff/judge/human-grades.ts";
import { parsedJson } from "../../../json/parsed.ts";
import type { InferenceRecord } from "../../../record/inference-record.ts";
import { INGEST_SCHEMA } from "../../../runs/ingest.ts";
import { CliError, EXIT, type Io } from "../../command.ts";
import type { Gateway } from "../../gateway-client.ts";
import { bakeoffFiles } from "./bakeoff-files.ts";
import { readOutputs } from "./output-file.ts";

const kept = z.array(gradesFile);

/** One entry per grader, the one who graded last at the end. */
export function storedGrades(io: Io, id: string): GradesFile[] {
  const { gradesPath } = bakeoffFiles(io, id);
  if (!existsSync(gradesPath)) return [];
  const read = kept.safeParse(parsedJson(readFileSync(gradesPath, "utf8")));
  if (read.success) return read.data;
  throw new CliError("bakeoff.grades", `${gradesPath} cannot be read`, { exitCode: EXIT.usage, cause: read.error });
}

/**
 * Takes a grader's grades. `merge`: the later of two on one output stays. `replace`: what the page shows now is all there
 * is, so that an undone grade is gone. Refuses a grade of an output that this bake-off does not have.
 */
export function keepGrades(io: Io, id: string, given: GradesFile, how: "merge" | "replace"): GradesFile {
  if (given.bakeoff !== id) throw unfit(`these are grades of bake-off ${given.bakeoff}, not of ${id}`);
  const { outputsPath, gradesPath } = bakeoffFiles(io, id);
  const known = new Set(readOutputs(outputsPath).map(keyOf));
  const stray = given.grades.find((grade) => !known.has(keyOf(grade)));
  if (stray) throw unfit(`no output of ${stray.arm} for input ${stray.input} is on this machine`);
  const before = storedGrades(io, id);
  const own = how === "merge" ? (before.find(({ grader }) => grader === given.grader)?.grades ?? []) : [];
  const latest = new Map<string, GivenGrade>();
  for (const grade of [...own, ...given.grades].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)))
    latest.set(keyOf(grade), grade);
  const merged = { ...given, grades: [...latest.values()] };
  const all = [...before.filter(({ grader }) => grader !== given.grader), merged];
  // In place by a rename: a crash leaves the old grades or the new ones.
  const beside = `${gradesPath}.new`;
  writeFileSync(beside, `${JSON.stringify(all, null, 2)}\n`, { mode: 0o600 });
  renameSync(beside, gradesPath);
  return merged;
}

export interface SentGrades {
  /** In the database now, those that were there before included. */
  readonly accepted: number;
  /** Why others are not, with how many each. */
  readonly refused: Readonly<Record<string, number>>;
  /** Grades of calls whose figures are not on this machine. */
  readonly unnamed: number;
}

/** Grades with their calls in one batch: they are its subject. */
const GRADES_AT_ONCE = 100;

/**
 * A replayed call is not at the gateway, and a grade needs a subject there: its figures go along, as the SDK would report
 * them. Sent again they change nothing.
 */
export async function sendGrades(
  io: Io,
  gateway: Gateway,
  { bakeoff, grader, grades }: GradesFile,
): Promise<SentGrades> {
  const records = new Map(readOutputs(bakeoffFiles(io, bakeoff).outputsPath).map((one) => [keyOf(one), one.record]));
  const named = grades.flatMap((grade) => {
    const record = records.get(keyOf(grade));
    return record ? [{ grade, record }] : [];
  });
  const refused: Record<string, number> = {};
  let accepted = 0;
  for (let from = 0; from < named.length; from += GRADES_AT_ONCE) {
    const part = named.slice(from, from + GRADES_AT_ONCE);
    const items = [
      ...part.map(({ record }) => ({ type: "inference", inference: record })),
      ...part.map(({ grade, record }) => ({ type: "grade", grade: ingestGrade(bakeoff, grader, grade, record) })),
    ];
    const said = await gateway.call(ingest, {
      body: { schema: INGEST_SCHEMA, items },
      reads: ingestAnswer.pick({ items: true }),
    });
    const left = said.items.filter(({ index, status }) => index >= part.length && status !== "duplicate");
    for (const { status, code = status } of left) refused[code] = (refused[code] ?? 0) + 1;
    accepted += part.length - left.length;
  }
  return { accepted, refused, unnamed: grades.length - named.length };
}

function ingestGrade(bakeoff: string, grader: string, grade: GivenGrade, { id }: InferenceRecord) {
  const identity = JSON.stringify([bakeoff, grader, grade.input, grade.arm, grade.at]);
  return {
    id: `grade_${createHash("sha256").update(identity).digest("hex").slice(0, 32)}`,
    subject: { kind: "inference", id },
    score: grade.score,
    kind: "human",
    grader,
    comment: `bake-off ${bakeoff}, ${grade.blind ? "blind" : "names shown"}`,
    createdAt: Date.parse(grade.at),
  };
}

function keyOf({ input, arm }: Pick<GivenGrade, "input" | "arm">): string {
  return JSON.stringify([input, arm]);
}

function unfit(message: string): CliError {
  return new CliError("bakeoff.grades", message, { exitCode: EXIT.usage });
}
