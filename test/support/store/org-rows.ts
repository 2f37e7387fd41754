import { createClient } from "@libsql/client/web";
import { getTableName } from "drizzle-orm";
import type { Connection } from "../../../src/store/database/database.ts";
import { ORG_TABLES } from "../../../src/store/orgs/org-tables.ts";

/** Every row an org has, by table, without the org itself; in no order that means anything, but always the same. */
export async function rowsOf(connection: Connection, org: string): Promise<Readonly<Record<string, unknown[]>>> {
  const client = createClient({ url: connection.url, authToken: connection.authToken ?? "" });
  const names = ORG_TABLES.map(({ table }) => getTableName(table));
  const results = await client.batch(
    names.map((name) => ({ sql: `select * from ${name} where org = ?`, args: [org] })),
  );
  client.close();
  const sorted = results.map(({ rows }) =>
    rows.map(({ org: _, ...row }) => row).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
  );
  return Object.fromEntries(names.map((name, index) => [name, sorted[index] ?? []]));
}
