import Database from "libsql";

/** Idle connections kept open: opening one costs more than most statements. */
const MOST_IDLE = 8;

/** Connections to one file. Every stream has its own while it lives; a clean one is used again. */
export class ConnectionPool {
  readonly #file: string;
  readonly #idle: Database.Database[] = [];
  #closed = false;

  constructor(file: string) {
    this.#file = file;
  }

  take(): Database.Database {
    const idle = this.#idle.pop();
    if (idle) return idle;
    // No wait inside the engine: it would stop the whole process, with it the stream that holds the lock.
    const connection = new Database(this.#file, { timeout: 0 });
    connection.defaultSafeIntegers(true);
    connection.exec("PRAGMA synchronous = NORMAL");
    return connection;
  }

  /** `clean` = the stream left nothing behind that a later one could see (settings, temporary tables). */
  giveBack(connection: Database.Database, clean: boolean): void {
    if (connection.inTransaction) connection.exec("ROLLBACK");
    if (clean && !this.#closed && this.#idle.length < MOST_IDLE) this.#idle.push(connection);
    else connection.close();
  }

  /** Connections still taken are closed as they come back. */
  close(): void {
    this.#closed = true;
    for (const connection of this.#idle.splice(0)) connection.close();
  }
}
