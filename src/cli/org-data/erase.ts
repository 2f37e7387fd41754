import { whoami, whoamiAnswer } from "../../api/gateway.ts";
import { eraseData } from "../../api/org.ts";
import { CliError, EXIT, type ExitCode, type Io } from "../command.ts";
import { type GatewayOptions, gatewayFrom } from "../gateway-client.ts";
import { confirmName } from "../output/confirm.ts";
import { printJson } from "../output/json.ts";

export interface EraseOptions extends GatewayOptions {
  readonly before?: string;
  readonly confirm?: string;
  readonly json?: boolean;
}

/** Deletes the org's data at the gateway, in as many requests as it takes. */
export async function eraseOrg(io: Io, { before, confirm, ...options }: EraseOptions): Promise<ExitCode> {
  const gateway = gatewayFrom(io, options);
  const { org } = await gateway.call(whoami, { reads: whoamiAnswer.pick({ org: true }) });
  const what = before === undefined ? "all data" : `what is older than ${before}`;
  if (!(await confirmName(io, `Delete ${what} of ${org.slug} at ${gateway.url} for good?`, org.slug, confirm))) {
    throw new CliError("db.not_confirmed", `nothing was deleted: the name of the org is ${org.slug}`, {
      exitCode: EXIT.no,
    });
  }
  const deleted = new Map<string, number>();
  for (let done = false; !done; ) {
    const answer = await gateway.call(eraseData, { query: { confirm: org.slug, before } });
    for (const [table, rows] of Object.entries(answer.deleted)) deleted.set(table, (deleted.get(table) ?? 0) + rows);
    done = answer.done;
  }
  const rows = [...deleted.values()].reduce((sum, count) => sum + count, 0);
  if (options.json)
    printJson(io, { schema: "modelrig.db-erase/1", org: org.slug, rows, tables: Object.fromEntries(deleted) });
  else io.stdout.write(`${rows} rows of ${deleted.size} tables deleted\n`);
  return EXIT.done;
}
