import { accessSync, closeSync, constants, existsSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import Database from "libsql";
import { makeFolder } from "./make-folder.ts";

export type DatabaseFileFault = "not_a_database" | "corrupt" | "locked" | "unreadable";

/** A database file that cannot be used: which, why, and the way out. */
export class DatabaseFileError extends Error {
  override readonly name = "DatabaseFileError" as const;
  readonly file: string;
  readonly reason: DatabaseFileFault;
  /** What was found, without the file's name. */
  readonly detail: string;
  readonly fix: string;

  constructor(file: string, reason: DatabaseFileFault, detail: string, fix: string, cause?: unknown) {
    super(`cannot use the database ${file}: ${detail}`, { cause });
    this.file = file;
    this.reason = reason;
    this.detail = detail;
    this.fix = fix;
  }
}

/** How long a file locked by another program is waited for. */
const LOCK_WAIT_MS = 2_000;
/** Larger files are checked by their header and schema only. */
const WHOLE_CHECK_BYTES = 64 * 1024 * 1024;

/**
 * Makes the file (mode 0600) and its folder where they are missing, sets write-ahead logging, and checks that it can be read and written;
 * with `check`, also that its pages are sound. Throws `DatabaseFileError`.
 */
export function prepareDatabaseFile(file: string, { check }: { readonly check: boolean }): void {
  requireAccess(file);
  const db = open(file);
  try {
    db.exec("PRAGMA journal_mode = WAL");
    db.exec("BEGIN IMMEDIATE");
    db.exec("COMMIT");
    if (check && statSync(file).size <= WHOLE_CHECK_BYTES) requireSound(file, db);
  } catch (cause) {
    throw cause instanceof DatabaseFileError ? cause : describe(file, cause);
  } finally {
    db.close();
  }
}

function requireAccess(file: string): void {
  try {
    if (existsSync(file) && statSync(file).isDirectory()) throw new Error("it is a folder");
    makeFolder(dirname(file));
    closeSync(openSync(file, "a", 0o600));
    // Write-ahead logging keeps two more files beside it.
    accessSync(dirname(file), constants.W_OK);
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : String(cause);
    throw new DatabaseFileError(
      file,
      "unreadable",
      detail,
      "pass another file, or make it and its folder writable",
      cause,
    );
  }
}

function open(file: string): Database.Database {
  try {
    return new Database(file, { timeout: LOCK_WAIT_MS });
  } catch (cause) {
    throw describe(file, cause);
  }
}

function requireSound(file: string, db: Database.Database): void {
  const [row] = db.prepare("PRAGMA quick_check(1)").raw().all();
  const verdict = Array.isArray(row) ? String(row[0]) : "no verdict";
  if (verdict === "ok") return;
  throw new DatabaseFileError(file, "corrupt", verdict, FIX_CORRUPT);
}

const FIX_CORRUPT = "move the file away and restore a backup, or start with a new file";

function describe(file: string, cause: unknown): DatabaseFileError {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  const detail = cause instanceof Error ? cause.message : String(cause);
  if (code === "SQLITE_NOTADB")
    return new DatabaseFileError(file, "not_a_database", "it is not an SQLite database", "pass another file", cause);
  if (code.startsWith("SQLITE_CORRUPT")) return new DatabaseFileError(file, "corrupt", detail, FIX_CORRUPT, cause);
  if (code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED"))
    return new DatabaseFileError(
      file,
      "locked",
      "another program holds it",
      "end that program, or pass another file",
      cause,
    );
  return new DatabaseFileError(
    file,
    "unreadable",
    detail,
    "pass another file, or make it and its folder writable",
    cause,
  );
}
