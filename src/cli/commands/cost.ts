import type { QueryAnswer } from "../../query/answer.ts";
import { EVALUATION_LANES } from "../../record/lane.ts";
import { CliError, type CommandModule, EXIT, type ExitCode, type Io } from "../command.ts";
import { addGatewayOptions, type GatewayOptions, gatewayFrom } from "../gateway-client.ts";
import { printJson } from "../output/json.ts";
import { csvText, printAnswer } from "../output/query-answer.ts";
import { TIME_HELP, timeFrom } from "../since.ts";
import { readTelemetry, whereOf } from "../telemetry-query.ts";

interface CostOptions extends GatewayOptions {
  readonly by: string;
  readonly filter?: string;
  readonly since: string;
  readonly until?: string;
  readonly timezone?: string;
  readonly csv?: boolean;
  readonly json?: boolean;
}

export const command: CommandModule = {
  build(command, io, run) {
    addGatewayOptions(command)
      .option("--by <columns>", "route, model, tag.NAME, day, week, month, key, run, …; several with commas", "route")
      .option("--since <time>", `calls that began then or later (${TIME_HELP})`, "30d")
      .option("--until <time>", "calls that began before")
      .option("--timezone <zone>", "in which days begin, such as Europe/Berlin (default: UTC)")
      .option("--filter <conditions>", "conditions of `modelrig query`: tag.client = 'acme' AND lane = 'judge'")
      .option("--csv", "print CSV (RFC 4180)")
      .option("--json", "print one JSON document")
      .action(run((options: CostOptions) => cost(io, options)));
  },
};

async function cost(io: Io, options: CostOptions): Promise<ExitCode> {
  const gateway = gatewayFrom(io, options);
  const now = Date.now();
  const since = timeFrom("--since", options.since, now);
  const until = options.until === undefined ? undefined : timeFrom("--until", options.until, now);
  const keys = keysOf(options.by);
  const where = whereOf({ since, until, filter: options.filter });
  const zone = options.timezone === undefined ? "" : `\nTIMEZONE '${options.timezone.replaceAll("'", "''")}'`;
  const sums = "count(*) AS calls, sum(input_tokens) AS input_tokens, sum(output_tokens) AS output_tokens";
  const groups = await readTelemetry(
    gateway,
    `SELECT ${keys.join(", ")}, ${sums}, sum(cost) AS cost\nFROM inferences\n${where}
GROUP BY ${keys.map((_, at) => at + 1).join(", ")} ORDER BY ${isBucket(options.by) ? "1" : "cost DESC"}${zone}`,
  );
  const lanes = await readTelemetry(
    gateway,
    `SELECT lane, count(*) AS calls, sum(cost) AS cost\nFROM inferences\n${where} GROUP BY lane ORDER BY cost DESC${zone}`,
  );
  print(io, { since, until, groups, lanes }, options);
  return EXIT.done;
}

interface Costs {
  readonly since: string;
  readonly until: string | undefined;
  readonly groups: QueryAnswer;
  readonly lanes: QueryAnswer;
}

function print(io: Io, { since, until, groups, lanes }: Costs, options: CostOptions): void {
  if (options.json) {
    const { columns, rows, truncated, notes, timezone } = groups;
    const byLane = lanes.rows.map(([lane, calls, cost]) => ({ lane, calls, cost_usd: cost }));
    const range = { since, until: until ?? null, timezone };
    printJson(io, { schema: "modelrig.cost/1", ...range, columns, rows, truncated, notes, lanes: byLane });
    return;
  }
  if (options.csv) io.stdout.write(csvText(groups));
  else printAnswer(io, groups);
  for (const note of groups.notes) io.stderr.write(`note: ${note}\n`);
  if (groups.truncated) io.stderr.write(`note: only the first ${groups.limit} are shown\n`);
  io.stderr.write(`since ${since}${until === undefined ? "" : ` until ${until}`}${laneText(lanes)}\n`);
}

/** Spend of evaluation is no cost of the application, but it is on the same bill. */
function laneText({ rows }: QueryAnswer): string {
  const spent = rows.filter(([lane]) => EVALUATION_LANES.some((name) => name === lane));
  if (spent.length === 0) return "";
  return `; evaluation beside it: ${spent.map(([lane, , cost]) => `${lane} ${cost === null ? "unknown" : `$${cost}`}`).join(", ")}`;
}

const BUCKETS = ["hour", "day", "week", "month"];
const isBucket = (by: string): boolean => BUCKETS.includes(by.split(",")[0]?.trim() ?? "");

function keysOf(by: string): readonly string[] {
  const keys = by.split(",").map((part) => part.trim());
  if (keys.some((key) => !/^[A-Za-z_][\w.-]*$/.test(key))) {
    throw new CliError("cli.usage", `--by cannot be ${JSON.stringify(by)}`, {
      exitCode: EXIT.usage,
      fix: "columns of inferences with commas between: route,model or tag.client or day",
    });
  }
  return keys.flatMap((key) => {
    if (BUCKETS.includes(key)) return [`${key}(ts)`];
    return key === "model" && !keys.includes("provider") ? ["provider", "model"] : [key];
  });
}
