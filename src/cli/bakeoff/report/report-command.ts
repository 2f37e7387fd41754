/** `modelrig bakeoff report <id>` and `modelrig bakeoff grade <id> <file>`. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import { agreementWith, GOOD, type GradesFile, gradesFile } from "../../../bakeoff/judge/human-grades.ts";
import type { BakeoffReport } from "../../../bakeoff/report/bakeoff-report.ts";
import { parsedJson } from "../../../json/parsed.ts";
import { scoresBy } from "../../../render/page/local-samples.ts";
import { percent } from "../../../stats/rate-text.ts";
import { CliError, EXIT, type ExitCode, type Io, type RunAction } from "../../command.ts";
import { addGatewayOptions, type GatewayOptions, gatewayFrom } from "../../gateway-client.ts";
import { printJson } from "../../output/json.ts";
import { keepGrades, type SentGrades, sendGrades, storedGrades } from "../files/grade-file.ts";
import { wholeNumber } from "../run/options.ts";
import { gradeInTerminal } from "./grade-interactive.ts";
import { openGradeTerminal } from "./grade-terminal.ts";
import { writeHtml } from "./html-file.ts";
import { localSamples, pastReport } from "./past-report.ts";
import { withGrades } from "./people-here.ts";
import { printMatrix } from "./print-matrix.ts";
import { serveReport } from "./report-server.ts";

interface ReportOptions extends GatewayOptions {
  readonly html?: string;
  readonly serve?: boolean;
  readonly port: string;
  readonly figuresOnly?: boolean;
  readonly pairs?: string;
  readonly json?: boolean;
}

interface GradeOptions extends GatewayOptions {
  readonly interactive?: boolean;
  readonly grader?: string;
  readonly json?: boolean;
}

export function addReportCommands(bakeoff: Command, io: Io, run: RunAction): void {
  // Both have options of the same name as the bake-off itself: each takes those behind its own word.
  bakeoff.enablePositionalOptions();
  const report = bakeoff
    .command("report <id>")
    .description("the report of a bake-off that was made")
    .option("--html <file>", "write it as one HTML file; with the calls of this machine side by side")
    .option("--figures-only", "no text of any call in the file")
    .option("--pairs <n>", "outputs side by side, those that differ most first (default: 100)")
    .option("--serve", "serve it on this machine, and keep the grades that are given in it")
    .option("--port <n>", "port to serve it on; 0 takes a free one", "0")
    .option("--json", "print it as one JSON document");
  addGatewayOptions(report).action(run((id: string, options: ReportOptions) => showReport(io, id, options)));
  const grade = bakeoff
    .command("grade <id> [file]")
    .description("take grades that a report saved (`-` = stdin); without a file, send those kept here")
    .option("--interactive", "grade in this terminal: one output at a time, by key, without names")
    .option("--grader <name>", "who grades, with --interactive (default: the user's name)")
    .option("--json", "print the outcome as one JSON document");
  addGatewayOptions(grade).action(
    run((id: string, file: string | undefined, options: GradeOptions) => takeGrades(io, id, file, options)),
  );
}

async function showReport(io: Io, id: string, options: ReportOptions): Promise<ExitCode> {
  const report = withGrades(io, await pastReport(io, options, id));
  const pairs = options.pairs === undefined ? undefined : wholeNumber("--pairs", options.pairs, 0, 100_000);
  if (options.html !== undefined)
    await writeHtml(io, report, options.html, { figuresOnly: options.figuresOnly, pairs });
  if (options.serve) return serve(io, report, { port: wholeNumber("--port", options.port, 0, 65_535), pairs }, options);
  if (options.json) printJson(io, report);
  else if (options.html === undefined) printMatrix(io, report);
  return EXIT.done;
}

async function serve(
  io: Io,
  report: BakeoffReport,
  place: Parameters<typeof serveReport>[2],
  options: ReportOptions,
): Promise<ExitCode> {
  const server = await serveReport(io, report, place);
  if (options.json) printJson(io, { schema: "modelrig.bakeoff-serve/1", url: server.url });
  else io.stdout.write(`${server.url}\n`);
  io.stderr.write("open it in a browser; grades are kept as you give them; Ctrl-C ends it\n");
  if (!io.signal.aborted) await new Promise((resolve) => io.signal.addEventListener("abort", resolve, { once: true }));
  await server.close();
  const sent = await Promise.all([...server.graded.values()].map((grades) => hand(io, options, grades)));
  return sent.every(({ delivered }) => delivered) ? EXIT.done : EXIT.partial;
}

async function takeGrades(io: Io, id: string, file: string | undefined, options: GradeOptions): Promise<ExitCode> {
  const report = await pastReport(io, options, id);
  const taken = options.interactive
    ? await gradedHere(io, report, file, options.grader)
    : file === undefined
      ? storedGrades(io, id)
      : [keepGrades(io, id, readGrades(io, file), "merge")];
  if (taken.length === 0) {
    throw new CliError("bakeoff.grades", `no grades of bake-off ${id} are kept here`, {
      exitCode: EXIT.usage,
      fix: `modelrig bakeoff report ${id} --serve`,
    });
  }
  const outcomes: Record<string, unknown>[] = [];
  let delivered = true;
  for (const grades of taken) {
    const agreement = agreementHere(io, report, grades);
    io.stderr.write(
      `${grades.grader}: ${grades.grades.length} grades of ${report.id}${agreement ? `; ${agreement}` : ""}\n`,
    );
    const handed = await hand(io, options, grades);
    delivered &&= handed.delivered;
    outcomes.push({ grader: grades.grader, grades: grades.grades.length, sent: handed.sent ?? null });
  }
  if (options.json) printJson(io, { schema: "modelrig.grades-taken/1", bakeoff: id, graders: outcomes });
  return delivered ? EXIT.done : EXIT.partial;
}

/** What this grader gave, earlier grades included; none where nothing was graded. */
async function gradedHere(
  io: Io,
  report: BakeoffReport,
  file: string | undefined,
  grader = io.env["USER"] ?? "unnamed",
): Promise<GradesFile[]> {
  if (file !== undefined)
    throw new CliError("bakeoff.grades", "--interactive takes no file", { exitCode: EXIT.usage, fix: "leave one out" });
  const terminal = openGradeTerminal(io);
  const schema = "modelrig.grades/1" as const;
  const named = { schema, bakeoff: report.id, route: report.route, grader };
  try {
    const local = localSamples(io, report.id);
    if (!local)
      throw new CliError("bakeoff.grades", `the outputs of ${report.id} are not on this machine`, {
        exitCode: EXIT.usage,
      });
    const before = storedGrades(io, report.id).find((one) => one.grader === grader)?.grades ?? [];
    const grades = await gradeInTerminal(report, local, before, terminal, (all) => {
      keepGrades(io, report.id, { ...named, grades: [...all] }, "replace");
    });
    return grades.length === 0 ? [] : [{ ...named, grades: [...grades] }];
  } finally {
    terminal.close();
  }
}

function readGrades(io: Io, file: string): GradesFile {
  let text: string;
  try {
    text = readFileSync(file === "-" ? 0 : resolve(io.cwd, file), "utf8");
  } catch (cause) {
    throw new CliError("bakeoff.grades", `cannot read ${file}`, { exitCode: EXIT.usage, cause });
  }
  const read = gradesFile.safeParse(parsedJson(text));
  if (read.success) return read.data;
  throw new CliError("bakeoff.grades", `${file} holds no grades of modelrig.grades/1`, {
    exitCode: EXIT.usage,
    cause: read.error,
  });
}

/** `delivered` also where no gateway is configured: then nothing was to be sent. */
async function hand(
  io: Io,
  options: GatewayOptions,
  grades: GradesFile,
): Promise<{ readonly delivered: boolean; readonly sent?: SentGrades }> {
  // What the grades are sent with must outlive the Ctrl-C that ended the server.
  const calm = { ...io, signal: new AbortController().signal };
  try {
    const sent = await sendGrades(calm, gatewayFrom(calm, options), grades);
    const refused = Object.entries(sent.refused).map(([code, n]) => `, ${n} refused (${code})`);
    const unnamed = sent.unnamed > 0 ? `, ${sent.unnamed} stay here: their calls were not kept` : "";
    io.stderr.write(
      `sent to the gateway: ${sent.accepted} grades with the figures of their calls, no text${refused.join("")}${unnamed}\n`,
    );
    return { delivered: refused.length === 0, sent };
  } catch (cause) {
    if (!(cause instanceof CliError)) throw cause;
    const none = cause.code === "gateway.no_url";
    io.stderr.write(
      none
        ? "no gateway is configured: the grades are kept here\n"
        : `warning: not sent: ${cause.message}; kept here, next: modelrig bakeoff grade ${grades.bakeoff}\n`,
    );
    return { delivered: none };
  }
}

function agreementHere(io: Io, report: BakeoffReport, { grades }: GradesFile): string | undefined {
  const local = localSamples(io, report.id);
  if (!local) return undefined;
  const scores = scoresBy(report, local);
  const pass = report.objective.quality_gate?.min_score ?? GOOD;
  const found = agreementWith(grades, ({ input, arm }) => scores.of(arm).get(input), pass);
  if (!found) return undefined;
  const { n, agreement, interval, kappa, kappaInterval } = found;
  if (n < 10) return `agreement with ${report.metric}: n ${n}, not shown below 10`;
  const chance =
    kappa === undefined || !kappaInterval
      ? ""
      : `, kappa ${kappa.toFixed(2)} [${kappaInterval.low.toFixed(2)},${kappaInterval.high.toFixed(2)}]`;
  return `agrees with ${report.metric} on ${Math.round(agreement * n)} of ${n} blind grades, ${percent(agreement)}% [${percent(interval.low)},${percent(interval.high)}]${chance}`;
}
