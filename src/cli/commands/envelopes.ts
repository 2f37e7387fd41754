import { adjustReservation, listEnvelopes, listReservations } from "../../api/envelopes.ts";
import { usdToNano } from "../../money/nano-usd.ts";
import { CliError, type CommandModule, EXIT, type ExitCode, type Io } from "../command.ts";
import { addGatewayOptions, type GatewayOptions, gatewayFrom } from "../gateway-client.ts";
import { printJson } from "../output/json.ts";
import { printTable } from "../output/table.ts";

interface Options extends GatewayOptions {
  readonly json?: boolean;
}

interface AdjustOptions extends Options {
  readonly billedUsd: string;
  readonly bill: string;
}

export const command: CommandModule = {
  build(command, io, run) {
    addGatewayOptions(command.command("list").description("limits of the org, what is spent and held of each"))
      .option("--json", "print one JSON document")
      .action(run((options: Options) => list(io, options)));
    addGatewayOptions(
      command.command("show <envelope>").description("what holds its money: running calls, and unknown bills"),
    )
      .option("--json", "print one JSON document")
      .action(run((id: string, options: Options) => show(io, id, options)));
    addGatewayOptions(
      command.command("adjust <reservation>").description("book what the provider billed for a call of unknown cost"),
    )
      .requiredOption("--billed-usd <usd>", "what the provider billed")
      .requiredOption("--bill <text>", "the provider's bill this is taken from; kept in the audit log")
      .option("--json", "print one JSON document")
      .action(run((id: string, options: AdjustOptions) => adjust(io, id, options)));
  },
};

async function list(io: Io, options: Options): Promise<ExitCode> {
  const { envelopes } = await gatewayFrom(io, options).call(listEnvelopes, {});
  if (options.json) {
    printJson(io, { schema: "modelrig.envelopes/1", envelopes });
    return EXIT.done;
  }
  const columns = [
    { header: "envelope", shrink: true },
    ...["limit", "spent", "held", "overrun"].map((header) => ({ header, align: "decimal" as const })),
    { header: "resets" },
  ];
  printTable(
    io,
    columns,
    envelopes.map((one) => [
      one.id,
      ...[one.limit_usd, one.spent_usd, one.reserved_usd, one.overrun_usd],
      one.resets_at ?? "never",
    ]),
  );
  return EXIT.done;
}

async function show(io: Io, id: string, options: Options): Promise<ExitCode> {
  const held = await gatewayFrom(io, options).call(listReservations, { query: { envelope: id } });
  if (options.json) {
    printJson(io, { schema: "modelrig.reservations/1", ...held });
    return EXIT.done;
  }
  const { envelope, unknown_usd: unknown, reservations } = held;
  io.stderr.write(
    `${envelope.id}: limit $${envelope.limit_usd}, spent $${envelope.spent_usd} ($${unknown} of it unknown bills), ` +
      `held $${envelope.reserved_usd}\n`,
  );
  const columns = [
    { header: "reservation" },
    { header: "state" },
    { header: "reserved", align: "decimal" as const },
    { header: "since" },
    { header: "route", shrink: true },
    { header: "candidate", shrink: true },
  ];
  printTable(
    io,
    columns,
    reservations.map((one) => [
      ...[one.reservation_id, one.state, one.reserved_usd, one.reserved_at],
      ...[one.route ?? "-", one.candidate ?? "-"],
    ]),
  );
  return EXIT.done;
}

async function adjust(io: Io, id: string, { billedUsd, bill, json, ...options }: AdjustOptions): Promise<ExitCode> {
  requireDollars(billedUsd);
  const body = { reservation_id: id, billed_usd: billedUsd, bill };
  const done = await gatewayFrom(io, options).call(adjustReservation, { body });
  if (json) printJson(io, { schema: "modelrig.adjustment/1", ...done });
  else io.stdout.write(`${id}: $${done.billed_usd} in place of $${done.reserved_usd}\n`);
  return EXIT.done;
}

function requireDollars(text: string): void {
  try {
    if (usdToNano(text) >= 0) return;
  } catch {
    // Told below, as for a negative amount.
  }
  throw new CliError("cli.usage", `--billed-usd cannot be ${JSON.stringify(text)}`, {
    exitCode: EXIT.usage,
    fix: "exact dollars, such as 0.0125",
  });
}
