import { chmodSync, existsSync } from "node:fs";
import Database from "libsql";
import { parseExact } from "../json/exact-numbers.ts";
import type { ReplayPayload } from "../replay/replay-payload.ts";
import type { Capture, RetentionLimits } from "./capture.ts";

interface CaptureFilter {
  readonly route?: string | undefined;
  readonly limit: number;
}

interface RouteStats {
  readonly route: string;
  readonly captures: number;
  readonly answered: number;
  readonly bytes: number;
  /** Epoch milliseconds. */
  readonly oldest: number;
  readonly newest: number;
}

/** The captures of one project, in one SQLite file readable by its owner only. */
export interface CaptureStore {
  /** Ignores an id that exists already; returns whether it was new. */
  add(capture: Capture): boolean;
  /** Newest first. */
  list(filter: CaptureFilter): readonly Capture[];
  /** Yields every capture of a route, newest first, one in memory at a time. */
  each(filter: { readonly route: string }): Iterable<Capture>;
  get(id: string): Capture | undefined;
  delete(ids: readonly string[]): number;
  deleteWhere(filter: { readonly route?: string | undefined; readonly before?: number | undefined }): number;
  stats(): readonly RouteStats[];
  /** Deletes captures that are too old, then the oldest until the rest fits. Returns how many were deleted. */
  prune(limits: RetentionLimits, now: number): number;
  close(): void;
}

const SCHEMA = `
  create table if not exists captures (
    id text primary key, inference_id text, route text not null, variant text, at integer not null,
    kind text not null, payload text not null, output text, outcome text not null,
    capabilities text, served text, tags text not null, bytes integer not null
  ) strict;
  create index if not exists captures_route_at on captures (route, at);
  create index if not exists captures_at on captures (at);
`;

interface Row {
  readonly id: string;
  readonly inference_id: string | null;
  readonly route: string;
  readonly variant: string | null;
  readonly at: number;
  readonly kind: string;
  readonly payload: string;
  readonly output: string | null;
  readonly outcome: string;
  readonly capabilities: string | null;
  readonly served: string | null;
  readonly tags: string;
}

/** Opens or creates the file. Throws where it cannot be read as a database. */
export function openCaptureStore(file: string): CaptureStore {
  const db = new Database(file, { timeout: 5000 });
  // Deleted text is overwritten, not just unlinked.
  db.exec("pragma journal_mode = wal; pragma secure_delete = on; pragma synchronous = normal;");
  db.exec(SCHEMA);
  for (const suffix of ["", "-wal", "-shm"]) if (existsSync(file + suffix)) chmodSync(file + suffix, 0o600);

  const insert = db.prepare("insert or ignore into captures values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  const remove = (where: string, ...values: unknown[]): number => {
    const { changes } = db.prepare(`delete from captures where ${where}`).run(...values);
    if (changes > 0) db.pragma("wal_checkpoint(truncate)");
    return changes;
  };
  const pruneToSize = (maxBytes: number): number =>
    remove(
      `id in (select id from (select id, sum(bytes) over (order by at desc, id desc) as kept from captures)
       where kept > ?)`,
      maxBytes,
    );
  return {
    add(capture) {
      const values = rowValues(capture);
      return insert.run(...values).changes > 0;
    },
    list({ route, limit }) {
      const rows = route
        ? db.prepare("select * from captures where route = ? order by at desc, id desc limit ?").all(route, limit)
        : db.prepare("select * from captures order by at desc, id desc limit ?").all(limit);
      return (rows as Row[]).map(fromRow);
    },
    *each({ route }) {
      const rows = db.prepare("select * from captures where route = ? order by at desc, id desc").iterate(route);
      for (const row of rows as Iterable<Row>) yield fromRow(row);
    },
    get(id) {
      const row = db.prepare("select * from captures where id = ?").get(id) as Row | undefined;
      return row && fromRow(row);
    },
    delete: (ids) => ids.reduce((count, id) => count + remove("id = ?", id), 0),
    deleteWhere: ({ route, before }) =>
      remove("(? is null or route = ?) and at < ?", route ?? null, route ?? null, before ?? Number.MAX_SAFE_INTEGER),
    stats: () =>
      db
        .prepare(
          `select route, count(*) as captures, sum(outcome = 'answered') as answered, sum(bytes) as bytes,
           min(at) as oldest, max(at) as newest from captures group by route order by route`,
        )
        .all() as RouteStats[],
    prune: ({ maxAgeDays, maxBytes }, now) =>
      remove("at < ?", Math.floor(now - maxAgeDays * 86_400_000)) + pruneToSize(maxBytes),
    close: () => void db.close(),
  };
}

function rowValues(capture: Capture): unknown[] {
  const { payload } = capture;
  const text = JSON.stringify(payload.kind === "variables" ? payload.variables : payload.request);
  return [
    capture.id,
    capture.inferenceId ?? null,
    capture.route,
    capture.variant ?? null,
    capture.at,
    payload.kind,
    text,
    capture.output ?? null,
    capture.outcome,
    capture.capabilities ? JSON.stringify(capture.capabilities) : null,
    capture.served ?? null,
    JSON.stringify(capture.tags),
    Buffer.byteLength(text) + Buffer.byteLength(capture.output ?? ""),
  ];
}

function fromRow(row: Row): Capture {
  const content = parseExact(row.payload) as Record<string, unknown>;
  const payload: ReplayPayload =
    row.kind === "variables" ? { kind: "variables", variables: content } : { kind: "messages", request: content };
  return {
    id: row.id,
    inferenceId: row.inference_id ?? undefined,
    route: row.route,
    variant: row.variant ?? undefined,
    at: row.at,
    payload,
    output: row.output ?? undefined,
    outcome: row.outcome as Capture["outcome"],
    capabilities: row.capabilities === null ? undefined : (JSON.parse(row.capabilities) as Capture["capabilities"]),
    served: row.served ?? undefined,
    tags: JSON.parse(row.tags) as Record<string, string>,
  };
}
