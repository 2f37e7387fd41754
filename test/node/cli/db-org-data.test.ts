import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { EXIT } from "../../../src/cli/command.ts";
import { main } from "../../../src/cli/main.ts";
import { fakeIo } from "../../support/hosts/fake-io.ts";

const line = (json: unknown): string => `${JSON.stringify(json)}\n`;
const HEAD = line({
  type: "export",
  schema: "modelrig.export/1",
  at: "2026-11-29T12:00:00.000Z",
  org: { slug: "acme" },
});
const row = (table: string, id: number): string => line({ type: "row", table, row: { id } });
const page = (after: string): string => line({ type: "page", after });
const END = line({ type: "end" });

interface Gateway {
  readonly url: string;
  readonly asked: string[];
}

let cwd: string;
let server: Server | undefined;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "modelrig-org-data-"));
});
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  rmSync(cwd, { recursive: true, force: true });
});

/** Exports: each text in turn, cut off where it does not end with the last line. Deletions: `deletions` in turn. */
async function gateway(exports: readonly string[], deletions: readonly unknown[] = []): Promise<Gateway> {
  const asked: string[] = [];
  const texts = [...exports];
  const answers = [...deletions];
  server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    const json = (body: unknown): unknown =>
      response.setHeader("content-type", "application/json").end(JSON.stringify(body));
    if (request.url === "/v1/whoami")
      return void json({
        org: { id: "org_1", slug: "acme", name: "Acme" },
        key: { id: "key_1", label: "test", scopes: ["admin"], routes: null, expires_at: null },
      });
    if (request.method === "DELETE") return void json(answers.shift());
    const text = texts.shift() ?? "";
    response.setHeader("content-type", "application/jsonl");
    if (text.endsWith(END)) return void response.end(text);
    response.write(text, () => response.destroy());
  });
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

function run(url: string, ...args: string[]) {
  const io = fakeIo({ cwd, env: { MODELRIG_URL: url, MODELRIG_KEY: "mr_test" } });
  return main(["db", ...args], io).then((exitCode) => ({ exitCode, out: io.out(), err: io.err() }));
}

describe("modelrig db export", () => {
  it("writes all the org has, readable by the user alone", async () => {
    const whole = HEAD + row("runs", 1) + row("runs", 2) + page("p1") + row("artifacts", 1) + END;
    const { url } = await gateway([whole]);
    const { exitCode, out } = await run(url, "export", "all.jsonl", "--json");
    expect(exitCode).toBe(EXIT.done);
    expect(JSON.parse(out)).toMatchObject({
      schema: "modelrig.db-export/1",
      rows: 3,
      tables: { runs: 2, artifacts: 1 },
    });
    expect(readFileSync(join(cwd, "all.jsonl"), "utf8")).toBe(whole);
    expect(statSync(join(cwd, "all.jsonl")).mode & 0o777).toBe(0o600);
  });

  it("goes on after the last whole page where the download broke off, and holds each row once", async () => {
    const { url, asked } = await gateway([
      `${HEAD + row("runs", 1) + page("p1") + row("runs", 2)}{"type":"ro`,
      HEAD + row("runs", 2) + page("p2") + row("runs", 3),
      HEAD + row("runs", 3) + END,
    ]);
    expect((await run(url, "export", "all.jsonl")).exitCode).toBe(EXIT.done);
    expect(asked).toEqual(["GET /v1/export", "GET /v1/export?after=p1", "GET /v1/export?after=p2"]);
    expect(readFileSync(join(cwd, "all.jsonl"), "utf8")).toBe(
      HEAD + row("runs", 1) + page("p1") + row("runs", 2) + page("p2") + row("runs", 3) + END,
    );
  });

  it("gives up where nothing more arrives, and leaves no file that looks whole", async () => {
    const { url, asked } = await gateway([]);
    const { exitCode, err } = await run(url, "export", "all.jsonl");
    expect(exitCode).toBe(EXIT.partial);
    expect(err).toContain("db.export_broken");
    expect(asked).toHaveLength(5);
    expect(existsSync(join(cwd, "all.jsonl"))).toBe(false);
  });
});

describe("modelrig db erase", () => {
  it("asks until all is deleted, and sums what was", async () => {
    const { url, asked } = await gateway(
      [],
      [
        { deleted: { inferences: 10 }, done: false },
        { deleted: { inferences: 5, runs: 1 }, done: true },
      ],
    );
    const args = ["erase", "--confirm", "acme", "--before", "2026-11-01T00:00:00Z", "--json"];
    const { exitCode, out } = await run(url, ...args);
    expect(exitCode).toBe(EXIT.done);
    expect(JSON.parse(out)).toMatchObject({ rows: 16, tables: { inferences: 15, runs: 1 } });
    expect(asked.filter((one) => one.startsWith("DELETE"))).toEqual(
      Array.from({ length: 2 }, () => "DELETE /v1/data?confirm=acme&before=2026-11-01T00%3A00%3A00Z"),
    );
  });

  it("deletes nothing without the org's name", async () => {
    const { url, asked } = await gateway([]);
    expect((await run(url, "erase")).exitCode).toBe(EXIT.usage);
    const wrong = await run(url, "erase", "--confirm", "other");
    expect(wrong.exitCode).toBe(EXIT.no);
    expect(wrong.err).toContain("acme");
    expect(asked.some((one) => one.startsWith("DELETE"))).toBe(false);
  });
});
