/**
 * Writes and reads a whole database as lines of JSON, over the wire, so that it works the same with Turso and the local
 * engine.
 */
import type { Client, InValue, ResultSet, Transaction, Value } from "@libsql/client/web";
import { createClient } from "@libsql/client/web";
import type { Connection } from "./database.ts";
import { type Migration, migrate } from "./migrate.ts";
import { settled } from "./store-error.ts";

const BACKUP_SCHEMA = "modelrig.backup/1";

/** First line of a backup. Every other line is a row: its table's position in `tables`, then its cells. */
export interface BackupHeader {
  readonly schema: typeof BACKUP_SCHEMA;
  /** Newest migration that was applied. */
  readonly version: string;
  readonly taken_at: string;
  readonly tables: readonly BackupTable[];
}

interface BackupTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: number;
}

/** Why a backup cannot be taken or restored. */
export class BackupError extends Error {
  override readonly name = "BackupError" as const;
  readonly reason: "not_migrated" | "not_a_backup" | "unknown_version" | "not_empty" | "other_schema" | "incomplete";
  readonly fix: string;

  constructor(reason: BackupError["reason"], message: string, fix: string) {
    super(message);
    this.reason = reason;
    this.fix = fix;
  }
}

type Reader = Pick<Client | Transaction, "execute">;
/** Finite numbers are written as they are; values that JSON lacks have a name. */
type Cell = null | string | number | { readonly int: string } | { readonly real: string } | { readonly hex: string };

const TIMEOUT_MS = 120_000;
const PAGE_BYTES = 2_000_000;
const MOST_ROWS_PER_PAGE = 2_000;
/** The engine allows 32 766 bound values per statement. */
const MOST_VALUES = 16_000;

/**
 * Yields the lines of a backup, without line ends, as of one moment: everything is read in one read transaction. `live`
 * reads page by page instead, for databases whose server ends a transaction before everything is read; rows that change
 * meanwhile may be missed.
 */
export async function* backupLines(
  connection: Connection,
  options: { readonly takenAt: Date; readonly live: boolean },
): AsyncGenerator<string> {
  const client = open(connection);
  const transaction = options.live ? undefined : await settled(client.transaction("read"));
  try {
    const reader: Reader = transaction ?? client;
    const tables = await tablesOf(reader);
    const header: BackupHeader = {
      schema: BACKUP_SCHEMA,
      version: await versionOf(reader),
      taken_at: options.takenAt.toISOString(),
      tables,
    };
    yield JSON.stringify(header);
    for (const [position, table] of tables.entries()) yield* rowLines(reader, table, position);
  } finally {
    transaction?.close();
    client.close();
  }
}

async function* rowLines(reader: Reader, { name, columns }: BackupTable, position: number): AsyncGenerator<string> {
  let after: Value = null;
  let limit = 20;
  for (;;) {
    const list = columns.map(quoted).join(", ");
    const where: string = after === null ? "" : "where rowid > ?";
    const { rows }: ResultSet = await settled(
      reader.execute({
        sql: `select rowid as "rowid ", ${list} from ${quoted(name)} ${where} order by rowid limit ${limit}`,
        args: after === null ? [] : [after],
      }),
    );
    let bytes = 0;
    for (const row of rows) {
      const line = JSON.stringify([position, ...columns.map((_, index) => cellOf(row[index + 1] ?? null))]);
      bytes += line.length;
      yield line;
    }
    if (rows.length < limit) return;
    after = rows.at(-1)?.[0] ?? null;
    limit = Math.max(1, Math.min(MOST_ROWS_PER_PAGE, Math.floor((PAGE_BYTES * rows.length) / Math.max(1, bytes))));
  }
}

/** Reads the first line; throws where it does not begin a backup. */
export function headerOf(line: string): BackupHeader {
  let header: unknown;
  try {
    header = JSON.parse(line);
  } catch {
    header = undefined;
  }
  if (typeof header === "object" && header !== null && "schema" in header && header.schema === BACKUP_SCHEMA)
    return header as BackupHeader;
  throw new BackupError(
    "not_a_backup",
    `the file is no ${BACKUP_SCHEMA}`,
    "pass a file that `modelrig db backup` wrote",
  );
}

/**
 * Fills a database from a backup: first tables of the backup's own version, then its rows, then their numbers are
 * compared. A database with rows is refused, or emptied first with `force`. Not one transaction: after a failure,
 * restore again.
 */
export async function restore(
  connection: Connection,
  header: BackupHeader,
  rows: AsyncIterable<string>,
  options: { readonly migrations: readonly Migration[]; readonly force: boolean },
): Promise<void> {
  const last = options.migrations.findIndex(({ name }) => name === header.version);
  if (last < 0) {
    const fix = "use the version of modelrig that made it, or a newer one";
    throw new BackupError(
      "unknown_version",
      `the backup is of schema ${header.version}, which this version does not know`,
      fix,
    );
  }
  const client = open(connection);
  try {
    await empty(client, options.force);
    await migrate(connection, options.migrations.slice(0, last + 1));
    await requireTables(client, header);
    await insertAll(client, header, rows);
    await requireCounts(client, header);
  } finally {
    client.close();
  }
}

async function empty(client: Client, force: boolean): Promise<void> {
  const { rows } = await settled(client.execute(TABLES));
  const names = rows.map((row) => String(row["name"]));
  if (!force) {
    for (const name of names.filter((table) => table !== JOURNAL)) {
      const { rows: some } = await settled(client.execute(`select 1 from ${quoted(name)} limit 1`));
      if (some.length === 0) continue;
      const fix = "restore into a new database, or pass --force to lose what is in this one";
      throw new BackupError("not_empty", `the database is not empty: there are rows in ${name}`, fix);
    }
  }
  // Tables without rows are replaced as well: they may be of another version than the backup.
  await settled(
    client.batch(
      names.map((name) => `drop table ${quoted(name)}`),
      "write",
    ),
  );
}

async function insertAll(client: Client, { tables }: BackupHeader, rows: AsyncIterable<string>): Promise<void> {
  let table: BackupTable | undefined;
  let values: InValue[] = [];
  let bytes = 0;
  const flush = async (): Promise<void> => {
    if (!table || values.length === 0) return;
    const one = `(${table.columns.map(() => "?").join(", ")})`;
    const all = Array.from({ length: values.length / table.columns.length }, () => one).join(", ");
    await settled(
      client.execute({
        sql: `insert into ${quoted(table.name)} (${table.columns.map(quoted).join(", ")}) values ${all}`,
        args: values,
      }),
    );
    values = [];
    bytes = 0;
  };
  for await (const line of rows) {
    const [position, ...cells] = JSON.parse(line) as [number, ...Cell[]];
    const next = tables[position];
    if (!next || cells.length !== next.columns.length) throw damaged("a row does not fit its table");
    if (next !== table || values.length + cells.length > MOST_VALUES || bytes > PAGE_BYTES) await flush();
    table = next;
    values.push(...cells.map(argumentOf));
    bytes += line.length;
  }
  await flush();
}

async function requireTables(client: Client, { tables }: BackupHeader): Promise<void> {
  const there = new Map((await tablesOf(client)).map(({ name, columns }) => [name, columns]));
  const shape = (columns: readonly string[] = []) => [...columns].sort().join(",");
  const wrong = tables.find(({ name, columns }) => shape(columns) !== shape(there.get(name)));
  if (!wrong && tables.length === there.size) return;
  const what = wrong ? `the table ${wrong.name} has other columns` : "there are other tables";
  throw new BackupError(
    "other_schema",
    `${what} than the migrations make`,
    "the backup was made by an edited version; restore with that one",
  );
}

async function requireCounts(client: Client, { tables }: BackupHeader): Promise<void> {
  for (const { name, rows } of await tablesOf(client)) {
    const expected = tables.find((table) => table.name === name)?.rows ?? 0;
    if (rows !== expected) throw damaged(`${name} has ${rows} rows after the restore, the backup says ${expected}`);
  }
}

const damaged = (what: string): BackupError =>
  new BackupError("incomplete", what, "take another backup; this one is damaged");

const JOURNAL = "modelrig_migrations";
const TABLES =
  "select name from sqlite_schema where type = 'table' and name not like 'sqlite\\_%' escape '\\' and name not like 'libsql\\_%' escape '\\' order by name";

async function tablesOf(reader: Reader): Promise<readonly BackupTable[]> {
  const { rows } = await settled(reader.execute(TABLES));
  const tables: BackupTable[] = [];
  for (const name of rows.map((row) => String(row["name"])).filter((table) => table !== JOURNAL)) {
    const { columns } = await settled(reader.execute(`select * from ${quoted(name)} limit 0`));
    const { rows: counted } = await settled(reader.execute(`select count(*) as n from ${quoted(name)}`));
    tables.push({ name, columns, rows: Number(counted[0]?.["n"] ?? 0) });
  }
  return tables;
}

async function versionOf(reader: Reader): Promise<string> {
  const { rows: journal } = await settled(
    reader.execute({ sql: "select 1 from sqlite_schema where name = ?", args: [JOURNAL] }),
  );
  const { rows } =
    journal.length === 0
      ? { rows: [] }
      : await settled(reader.execute(`select name from ${JOURNAL} order by position desc limit 1`));
  const version = rows[0]?.["name"];
  if (typeof version === "string") return version;
  throw new BackupError("not_migrated", "the database has no schema yet", "there is nothing to back up");
}

/** Integers are read as bigints, so that none is rounded and reals can be distinguished from them. */
function open({ url, authToken, timeoutMs = TIMEOUT_MS }: Connection): Client {
  return createClient({
    url,
    intMode: "bigint",
    ...(authToken !== undefined && { authToken }),
    fetch: (request: Request) => fetch(request, { signal: AbortSignal.timeout(timeoutMs) }),
  });
}

function cellOf(value: Value): Cell {
  if (value === null || typeof value === "string") return value;
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : { int: String(value) };
  if (typeof value === "number")
    return Number.isFinite(value) && !Number.isInteger(value) ? value : { real: String(value) };
  return { hex: Array.from(new Uint8Array(value), (byte) => byte.toString(16).padStart(2, "0")).join("") };
}

function argumentOf(cell: Cell): InValue {
  if (cell === null || typeof cell === "string") return cell;
  if (typeof cell === "number") return Number.isInteger(cell) ? BigInt(cell) : cell;
  if ("int" in cell) return BigInt(cell.int);
  if ("real" in cell) return Number(cell.real);
  return Uint8Array.from(cell.hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
