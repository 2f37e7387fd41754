/**
 * What waits to be sent to a gateway, in one SQLite file that the processes of a project share. An item is on the disk
 * before `add` returns, so a process that is killed loses none; it is taken under a lease, so two never hold the same one.
 */
import { chmodSync, existsSync } from "node:fs";
import { hostname } from "node:os";
import Database from "libsql";

/** How long a lock of another process is waited for before an item stays in memory instead. */
const LOCK_WAIT_MS = 250;
/** Refused items that are kept to be looked at. */
const MOST_DEAD = 1_000;

export interface BufferedItem {
  readonly seq: number;
  /** JSON. */
  readonly body: string;
  /** Epoch milliseconds at which it was added. */
  readonly at: number;
  /** How often it was sent. */
  readonly attempts: number;
}

export interface ClaimOptions {
  /** Fingerprint of the key that sends; its own items and those of other keys of the same destination are taken. */
  readonly sender: string;
  readonly now: number;
  readonly leaseMs: number;
  readonly mostItems: number;
  /** UTF-8 bytes of all bodies together; one larger item is taken alone. */
  readonly mostBytes: number;
}

export interface BufferCounts {
  readonly waiting: number;
  readonly bytes: number;
  readonly dead: number;
}

/** Every method throws where the file cannot be read or written. */
export interface ExportBuffer {
  /** `sender` is empty for what stays on this machine. */
  add(item: { readonly body: string; readonly at: number; readonly sender: string }): void;
  /** Oldest first. */
  claim(options: ClaimOptions): readonly BufferedItem[];
  /** They arrived. */
  remove(seqs: readonly number[]): void;
  /** They are to be sent again, not before `at`. */
  postpone(seqs: readonly number[], at: number): void;
  /** They will never be taken. */
  bury(seqs: readonly number[], why: { readonly code: string; readonly message: string; readonly at: number }): void;
  /** Where a key's items go (URL and org): keys of one destination send each other's. */
  knowSender(sender: string, destination: string): void;
  /** Of one sender, or of all. What another holds under its lease is not waiting. */
  counts(now: number, sender?: string): BufferCounts;
  /** Deletes what is too old, then the oldest until the rest fits. Answers how many went. */
  prune(limits: { readonly maxBytes: number; readonly before: number }): number;
  /** Hands back all that is held here. */
  letGo(): void;
  close(): void;
}

const SCHEMA = `
  create table if not exists items (
    seq integer primary key autoincrement, body text not null, bytes integer not null, at integer not null,
    sender text not null, attempts integer not null default 0,
    next_at integer not null default 0, holder text, held_until integer not null default 0
  ) strict;
  create table if not exists dead (
    seq integer primary key, body text not null, at integer not null, code text not null, message text not null
  ) strict;
  create table if not exists senders (sender text primary key, destination text not null) strict;
`;

/** Holders of this process that are alive: a restarted container often gets the same process id again. */
const alive = new Set<string>();
let opened = 0;

/** `:memory:` where no file can be kept. */
export function openExportBuffer(file: string): ExportBuffer {
  const db = new Database(file, { timeout: LOCK_WAIT_MS });
  db.exec("pragma journal_mode = wal; pragma synchronous = normal;");
  db.exec(SCHEMA);
  for (const suffix of ["", "-wal", "-shm"]) if (existsSync(file + suffix)) chmodSync(file + suffix, 0o600);
  opened += 1;
  const holder = `${hostname()}/${process.pid}/${Math.round(performance.timeOrigin)}-${opened}`;
  alive.add(holder);

  const insert = db.prepare("insert into items (body, bytes, at, sender) values (?, ?, ?, ?)");
  const ready = db.prepare(
    `select seq, body, bytes, at, attempts from items
     where (sender = ?1 or sender in (
       select other.sender from senders own join senders other on other.destination = own.destination
       where own.sender = ?1
     )) and next_at <= ?2 and held_until <= ?2 order by seq limit ?3`,
  );
  const hold = db.prepare(
    "update items set holder = ?, held_until = ?, attempts = attempts + 1 where seq in (select value from json_each(?))",
  );
  const holders = db.prepare("select distinct holder from items where held_until > ?");
  const letGo = db.prepare("update items set held_until = 0 where holder = ?");
  const list = (seqs: readonly number[]): string => JSON.stringify(seqs);

  const immediately = <T>(work: () => T): T => {
    db.exec("begin immediate");
    try {
      const result = work();
      db.exec("commit");
      return result;
    } catch (cause) {
      if (db.inTransaction) db.exec("rollback");
      throw cause;
    }
  };

  return {
    add: ({ body, at, sender }) => void insert.run(body, Buffer.byteLength(body), at, sender),
    claim: ({ sender, now, leaseMs, mostItems, mostBytes }) =>
      immediately(() => {
        for (const { holder: other } of holders.all(now) as { holder: string }[]) if (isDead(other)) letGo.run(other);
        const rows = ready.all(sender, now, mostItems) as (BufferedItem & { readonly bytes: number })[];
        let bytes = 0;
        const taken = rows.filter((row, index) => {
          bytes += row.bytes;
          return index === 0 || bytes <= mostBytes;
        });
        if (taken.length > 0) hold.run(holder, now + leaseMs, list(taken.map(({ seq }) => seq)));
        return taken.map(({ seq, body, at, attempts }) => ({ seq, body, at, attempts: attempts + 1 }));
      }),
    remove: (seqs) =>
      void db.prepare("delete from items where seq in (select value from json_each(?))").run(list(seqs)),
    postpone: (seqs, at) =>
      void db
        .prepare("update items set next_at = ?, held_until = 0 where seq in (select value from json_each(?))")
        .run(at, list(seqs)),
    bury: (seqs, { code, message, at }) =>
      immediately(() => {
        db.prepare(
          `insert or ignore into dead select seq, body, ?, ?, ? from items
           where seq in (select value from json_each(?))`,
        ).run(at, code, message, list(seqs));
        db.prepare("delete from items where seq in (select value from json_each(?))").run(list(seqs));
        db.prepare("delete from dead where seq not in (select seq from dead order by seq desc limit ?)").run(MOST_DEAD);
      }),
    knowSender: (sender, destination) =>
      void db.prepare("insert or replace into senders values (?, ?)").run(sender, destination),
    counts(now, sender) {
      const row = db
        .prepare(
          `select count(*) as waiting, coalesce(sum(bytes), 0) as bytes, (select count(*) from dead) as dead from items
           where held_until <= ?1 and (?2 is null or sender = ?2)`,
        )
        .get(now, sender ?? null);
      // The driver puts figures of its own beside the columns.
      const { waiting, bytes, dead } = row as BufferCounts;
      return { waiting, bytes, dead };
    },
    prune: ({ maxBytes, before }) =>
      immediately(() => {
        const old = db.prepare("delete from items where at < ?").run(before).changes;
        const over = db
          .prepare(
            `delete from items where seq in (
               select seq from (select seq, sum(bytes) over (order by seq desc) as kept from items) where kept > ?
             )`,
          )
          .run(maxBytes).changes;
        return old + over;
      }),
    letGo: () => void letGo.run(holder),
    close() {
      letGo.run(holder);
      alive.delete(holder);
      db.close();
    },
  };
}

/** A holder of this machine whose process has ended without letting go. Of another machine only the lease tells. */
function isDead(holder: string): boolean {
  const [host, pid] = holder.split("/");
  if (host !== hostname()) return false;
  if (Number(pid) === process.pid) return !alive.has(holder);
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (cause) {
    return cause instanceof Error && "code" in cause && cause.code === "ESRCH";
  }
}
