import { text as readAll } from "node:stream/consumers";
import type { QueryAnswer, QueryExplanation } from "../../query/answer.ts";
import { CliError, type CommandModule, EXIT, type ExitCode, type Io } from "../command.ts";
import { addGatewayOptions, type GatewayOptions, gatewayFrom } from "../gateway-client.ts";
import { printJson } from "../output/json.ts";
import { csvText, printAnswer } from "../output/query-answer.ts";
import { askTelemetry } from "../telemetry-query.ts";

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
  const answered = await askTelemetry(gatewayFrom(io, options), query);
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
