import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@libsql/client/web";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { main } from "../../../src/cli/main.ts";
import { startHranaServer } from "../../../src/localdb/hrana-server.ts";
import { fakeIo } from "../../support/hosts/fake-io.ts";

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "modelrig-serve-"));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

async function until<T>(look: () => T | undefined): Promise<T> {
  for (;;) {
    const found = look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

describe("modelrig db serve", () => {
  it("serves a file to libSQL clients until it is interrupted, and keeps what they wrote", async () => {
    for (const written of [0n, 1n]) {
      const stop = new AbortController();
      const io = { ...fakeIo({ cwd }), signal: stop.signal };
      const ended = main(["db", "serve", "--db", "mine.db"], io);
      const [, url, authToken] = await until(
        () => /^TURSO_DATABASE_URL=(.+)\nTURSO_AUTH_TOKEN=(.+)\n/.exec(io.out()) ?? undefined,
      );
      const client = createClient({ url: url ?? "", authToken: authToken ?? "", intMode: "bigint" });
      await client.execute("create table if not exists t (a)");
      expect((await client.execute("select count(*) as n from t")).rows[0]).toMatchObject({ n: written });
      await client.execute("insert into t values (1)");
      stop.abort();
      expect(await ended).toBe(0);
      await expect(client.execute("select 1")).rejects.toThrow();
      client.close();
    }
  });

  it("says what is wrong with a file or a port, and ends", async () => {
    writeFileSync(join(cwd, "letter.db"), "Dear reader, ".repeat(500));
    const broken = fakeIo({ cwd });
    expect(await main(["db", "serve", "--db", "letter.db"], broken)).toBe(1);
    expect(broken.err()).toContain("db.not_a_database");
    const other = await startHranaServer({ file: join(cwd, "other.db"), port: 0, token: "t" });
    const taken = fakeIo({ cwd });
    expect(await main(["db", "serve", "--db", "mine.db", "--port", String(other.port)], taken)).toBe(1);
    expect(taken.err()).toContain("db.port_taken");
    await other.close();
  });
});
