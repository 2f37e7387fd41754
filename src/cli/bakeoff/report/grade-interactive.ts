/** `modelrig bakeoff grade <id> --interactive`: outputs are graded one by one, by key, without names. */
import type { GivenGrade, GradesFile } from "../../../bakeoff/judge/human-grades.ts";
import type { BakeoffReport } from "../../../bakeoff/report/bakeoff-report.ts";
import { shown } from "../../../render/page/html.ts";
import { type LocalSamples, sideKey, sidePairs } from "../../../render/page/local-samples.ts";
import type { GradeTerminal } from "./grade-terminal.ts";

interface ToGrade {
  readonly input: string;
  readonly arm: string;
  readonly inference?: string | undefined;
  readonly asked: string;
  readonly output: string;
}

const SCORES: Readonly<Record<string, number>> = { "1": 0, "2": 0.25, "3": 0.5, "4": 0.75, "5": 1, x: 0, y: 1 };
const KEYS = "1 to 5 from bad to good, y = 5, x = 1, u undo, n skip, q end";
/** Ctrl-C and Ctrl-D, which a raw terminal hands over as keys. */
const ENDS = ["q", "\u0003", "\u0004"];

/**
 * Returns all grades of this grader. `keep` is called after each key that changed one, so that nothing is lost however it
 * ends. Which arm an output is of is never shown.
 */
export async function gradeInTerminal(
  report: BakeoffReport,
  local: LocalSamples,
  before: readonly GivenGrade[],
  terminal: GradeTerminal,
  keep: (grades: GradesFile["grades"]) => void,
): Promise<readonly GivenGrade[]> {
  const grades = new Map(before.map((grade) => [sideKey(grade.input, grade.arm), grade]));
  const all = toGrade(report, local);
  const given: number[] = [];
  let at = all.findIndex((one) => !grades.has(sideKey(one.input, one.arm)));
  while (at >= 0 && at < all.length) {
    const one = all[at];
    if (!one) break;
    terminal.show(screen(one, { number: at + 1, of: all.length, graded: grades.size }, terminal));
    const key = await terminal.key();
    if (key === undefined || ENDS.includes(key)) break;
    if (key === "n") at += 1;
    if (key === "u") {
      const last = given.pop();
      const undone = last === undefined ? undefined : all[last];
      if (last === undefined || !undone) continue;
      grades.delete(sideKey(undone.input, undone.arm));
      keep([...grades.values()]);
      at = last;
    }
    const score = SCORES[key];
    if (score === undefined) continue;
    const { input, arm, inference } = one;
    const grade = { input, arm, ...(inference !== undefined && { inference }), score, blind: true };
    grades.set(sideKey(input, arm), { ...grade, at: new Date().toISOString() });
    keep([...grades.values()]);
    given.push(at);
    at += 1;
  }
  return [...grades.values()];
}

/** Every output once, those first whose pairs differ most; the two of a pair in the drawn order. */
function toGrade(report: BakeoffReport, local: LocalSamples): ToGrade[] {
  const found = new Map<string, ToGrade>();
  for (const { input, own, base, flipped } of sidePairs(report, local)) {
    const asked = input.payload.kind === "variables" ? input.payload.variables : input.payload.request;
    for (const { arm, answer } of flipped ? [own, base] : [base, own]) {
      const key = sideKey(input.id, arm);
      if (!answer || found.has(key)) continue;
      const texts = { asked: textOf(asked), output: textOf(answer.output) };
      found.set(key, { input: input.id, arm, inference: answer.inferenceId, ...texts });
    }
  }
  return [...found.values()];
}

function screen(
  { asked, output }: ToGrade,
  place: { readonly number: number; readonly of: number; readonly graded: number },
  { columns, rows }: GradeTerminal,
): string[] {
  const room = Math.max(4, rows - 6);
  const half = Math.floor(room / 3);
  return [
    `output ${place.number} of ${place.of}, ${place.graded} graded`,
    KEYS.slice(0, columns),
    "",
    "asked",
    ...fitted(asked, columns, half),
    "",
    "answered",
    ...fitted(output, columns, room - half - 2),
  ];
}

/** At most `most` lines of `columns` characters; the last one says how much is missing. */
function fitted(text: string, columns: number, most: number): string[] {
  const lines = shown(text)
    .split("\n")
    .flatMap((line) => line.match(new RegExp(`.{1,${Math.max(20, columns)}}`, "gu")) ?? [""]);
  if (lines.length <= most) return lines;
  return [...lines.slice(0, most - 1), `… ${lines.length - most + 1} more lines`];
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "");
}
