import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "libsql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DatabaseFileError } from "../../../src/localdb/database-file.ts";
import { startHranaServer } from "../../../src/localdb/hrana-server.ts";

let home: string;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), "modelrig-file-"));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

async function refusal(file: string): Promise<DatabaseFileError> {
  const thrown = await startHranaServer({ file, port: 0, token: "t" }).then(
    async (server) => {
      await server.close();
      return undefined;
    },
    (cause: unknown) => cause,
  );
  if (!(thrown instanceof DatabaseFileError)) throw new Error(`not refused as a file: ${thrown}`);
  return thrown;
}

describe("a database file", () => {
  it("is made readable by its owner only", async () => {
    const file = join(home, "new.db");
    const server = await startHranaServer({ file, port: 0, token: "t" });
    await server.close();
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("that is no database is refused, with its name and the way out", async () => {
    const file = join(home, "letter.db");
    writeFileSync(file, "Dear reader, this is not a database. ".repeat(200));
    const error = await refusal(file);
    expect(error).toMatchObject({ reason: "not_a_database", file });
    expect(error.message).toContain(file);
    expect(error.fix).not.toBe("");
  });

  it("with damaged pages is refused", async () => {
    const file = join(home, "damaged.db");
    const db = new Database(file);
    db.exec("create table a (x); create index ax on a (x); begin");
    const insert = db.prepare("insert into a values (?)");
    for (let row = 0; row < 2_000; row += 1) insert.run(`${row}`.repeat(20));
    db.exec("commit");
    db.exec("pragma wal_checkpoint(truncate)");
    db.close();
    const { size } = statSync(file);
    const { openSync, writeSync, closeSync } = await import("node:fs");
    const descriptor = openSync(file, "r+");
    writeSync(descriptor, Buffer.alloc(size - 8_192, 0xa5), 0, size - 8_192, 8_192);
    closeSync(descriptor);
    expect((await refusal(file)).reason).toBe("corrupt");
  });

  it("that another program holds is refused", async () => {
    const file = join(home, "held.db");
    const holder = new Database(file);
    holder.exec("create table a (x); begin exclusive");
    expect((await refusal(file)).reason).toBe("locked");
    holder.close();
  });

  it("that is a folder, or below a file, is refused", async () => {
    mkdirSync(join(home, "folder.db"));
    expect((await refusal(join(home, "folder.db"))).reason).toBe("unreadable");
    writeFileSync(join(home, "file"), "");
    expect((await refusal(join(home, "file", "a.db"))).reason).toBe("unreadable");
  });

  it("in a folder that is not there is made, with the folder", async () => {
    const server = await startHranaServer({ file: join(home, "new", "folder", "a.db"), port: 0, token: "t" });
    expect(existsSync(join(home, "new", "folder", "a.db"))).toBe(true);
    await server.close();
  });

  it("on a taken port leaves the system's own error", async () => {
    const server = await startHranaServer({ file: join(home, "one.db"), port: 0, token: "t" });
    const second = startHranaServer({ file: join(home, "two.db"), port: server.port, token: "t" });
    await expect(second).rejects.toMatchObject({ code: "EADDRINUSE" });
    await server.close();
  });
});
