import { text as readAll } from "node:stream/consumers";
import { z } from "zod";
import type { AnswerOf } from "../../api/endpoint.ts";
import { queryTelemetry } from "../../api/query.ts";
import type { QueryAnswer, QueryExplanation } from "../../query/answer.ts";
import { CliError, type CommandModule, EXIT, type ExitCode, type Io } from "../command.ts";
import { addGatewayOptions, type GatewayOptions, gatewayFrom } from "../gateway-client.ts";
import { codeFrame } from "../output/faults.ts";
import { printJson } from "../output/json.ts";
import { csvText, printAnswer } from "../output/query-answer.ts";

interface QueryOptions extends GatewayOptions {
  readonly json?: boolean;
  readonly csv?: boolean;
  readonly explain?: boolean;
}

export const command: CommandModule = {
  build(command, io, run) {
    addGatewayOptions(command)
      .argument("[query...]", "SELECT … FROM inferences, attempts, runs or grades; - reads it from stdin")
      .option("--explain", "show how it would be answered, and from what")
      .option("--csv", "print CSV (RFC 4180)")
      .option("--json", "print one JSON document")
      .addHelpText("after", "\nColumns, aggregates and rules: docs/query.md")
      .action(run((words: string[], options: QueryOptions) => ask(io, words, options)));
  },
};

async function ask(io: Io, words: readonly string[], options: QueryOptions): Promise<ExitCode> {
  const written = words.length === 1 && words[0] === "-" ? await readAll(process.stdin) : words.join(" ");
  if (written.trim() === "") {
    throw new CliError("query.missing", "there is no query", {
      exitCode: EXIT.usage,
      fix: 'modelrig query "SELECT route, count(*) FROM inferences GROUP BY route"',
    });
  }
  const query = options.explain && !/^\s*explain\b/i.test(written) ? `EXPLAIN ${written}` : written;
  const answered = await sent(io, query, options);
  if (options.json) {
    printJson(io, { schema: "modelrig.query/1", ...answered });
    return EXIT.done;
  }
  if ("explain" in answered) {
    printExplanation(io, answered.explain);
    return EXIT.done;
  }
  if (options.csv) io.stdout.write(csvText(answered));
  else printAnswer(io, answered);
  printFooter(io, answered);
  return EXIT.done;
}

async function sent(io: Io, query: string, options: QueryOptions): Promise<AnswerOf<typeof queryTelemetry>> {
  try {
    return await gatewayFrom(io, options).call(queryTelemetry, { body: { query } });
  } catch (cause) {
    throw located(cause, query) ?? cause;
  }
}

const fault = z.object({
  code: z.string().startsWith("query_"),
  message: z.string(),
  position: z.int().nonnegative(),
  length: z.int().nonnegative(),
  expected: z.array(z.string()),
  hint: z.string().optional(),
});

const MOST_EXPECTED = 12;

/** The error of a query that was refused, with the place in it. */
function located(cause: unknown, query: string): CliError | undefined {
  if (!(cause instanceof CliError)) return undefined;
  const found = fault.safeParse(cause.details);
  if (!found.success) return undefined;
  const { code, message, position, length, expected, hint } = found.data;
  const before = query.slice(0, position).split("\n");
  const place = { line: before.length, column: (before.at(-1) ?? "").length + 1, length: Math.max(1, length) };
  const frame = position + length === 0 ? [] : codeFrame(query, place);
  const allowed = expected.length > 1 ? `allowed: ${expected.slice(0, MOST_EXPECTED).join(", ")}` : undefined;
  const more = expected.length > MOST_EXPECTED ? `, and ${expected.length - MOST_EXPECTED} more` : "";
  return new CliError(code, [message, ...frame].join("\n"), {
    exitCode: code === "query_timeout" ? EXIT.unexpected : EXIT.usage,
    fix: hint ?? (allowed && allowed + more),
    details: found.data,
    cause,
  });
}

function printExplanation(io: Io, explain: QueryExplanation["explain"]): void {
  const why = explain.why_not_rollups.map((reason) => `  not from rollups: ${reason}\n`).join("");
  io.stdout.write(`source    ${explain.source}\n${why}`);
  io.stdout.write(`timezone  ${explain.timezone}\nlimit     ${explain.limit}\n\n${explain.sql}\n\n`);
  for (const [index, value] of explain.args.entries()) {
    io.stdout.write(`?${index + 1}  ${JSON.stringify(value)}\n`);
  }
  for (const note of explain.notes) io.stderr.write(`note: ${note}\n`);
}

function printFooter(io: Io, { row_count: rows, source, elapsed_ms: ms, timezone, notes }: QueryAnswer): void {
  const from = source === "rollups" ? "hourly rollups" : "rows";
  io.stderr.write(`${rows} ${rows === 1 ? "row" : "rows"} from ${from} in ${Math.round(ms)} ms, ${timezone}\n`);
  for (const note of notes) io.stderr.write(`note: ${note}\n`);
}
