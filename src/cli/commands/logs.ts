import { CALL_COLUMNS, CallLines, type CallRow, callRows } from "../calls/call-lines.ts";
import { followCalls, ToldCalls } from "../calls/follow.ts";
import { CliError, type CommandModule, EXIT, type ExitCode, type Io } from "../command.ts";
import { addGatewayOptions, type Gateway, type GatewayOptions, gatewayFrom } from "../gateway-client.ts";
import { TIME_HELP, timeFrom } from "../since.ts";
import { readTelemetry, type TelemetryRange, whereOf } from "../telemetry-query.ts";

interface LogsOptions extends GatewayOptions {
  readonly filter?: string;
  readonly since?: string;
  readonly limit: string;
  readonly follow?: boolean;
  readonly json?: boolean;
}

/** Most rows that a query answers. */
const MOST_CALLS = 10_000;

export const command: CommandModule = {
  build(command, io, run) {
    addGatewayOptions(command)
      .option("--filter <conditions>", "conditions of `modelrig query`: route = 'x' AND failure_class IS NOT NULL")
      .option("--since <time>", `calls that began then or later (${TIME_HELP})`)
      .option("--limit <n>", "how many of the newest calls", "20")
      .option("-f, --follow", "go on with every call that ends, until Ctrl-C")
      .option("--json", "print one JSON object a call")
      .addHelpText("after", "\nColumns to filter by: docs/query.md. One call in detail: modelrig show ID")
      .action(run((options: LogsOptions) => logs(io, options)));
  },
};

async function logs(io: Io, options: LogsOptions): Promise<ExitCode> {
  const gateway = gatewayFrom(io, options);
  const now = Date.now();
  const since = options.since === undefined ? undefined : timeFrom("--since", options.since, now);
  const told = new ToldCalls(now);
  const ask = (from: string) => calls(gateway, { filter: options.filter, since: from, limit: MOST_CALLS });
  // Before the list is read: a call that ends in between is shown by one of the two.
  if (options.follow) told.unseen(await ask(told.longSince()));
  const rows = await calls(gateway, { filter: options.filter, since, limit: limitOf(options.limit) });
  const lines = new CallLines(io, options.json ? "json" : "text");
  if (rows.length > 0) lines.print(rows);
  else io.stderr.write("no calls yet\n");
  if (!options.follow) return EXIT.done;
  told.unseen(rows);
  await followCalls(told, {
    ask,
    print: (fresh) => lines.print(fresh),
    lost: (reason) => io.stderr.write(reason === undefined ? "the gateway answers again\n" : `${reason}; trying on\n`),
    signal: io.signal,
  });
  return EXIT.done;
}

async function calls(
  gateway: Gateway,
  range: TelemetryRange & { readonly limit: number },
): Promise<readonly CallRow[]> {
  const columns = CALL_COLUMNS.join(", ");
  return callRows(
    await readTelemetry(
      gateway,
      `SELECT ${columns}\nFROM inferences\n${whereOf(range)}\nORDER BY ts DESC LIMIT ${range.limit}`,
    ),
  );
}

function limitOf(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value > 0 && value <= MOST_CALLS) return value;
  throw new CliError("cli.usage", `--limit takes a whole number from 1 to ${MOST_CALLS}, not ${JSON.stringify(text)}`, {
    exitCode: EXIT.usage,
  });
}
