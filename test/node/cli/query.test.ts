import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { main } from "../../../src/cli/main.ts";
import type { QueryAnswer } from "../../../src/query/answer.ts";
import { runQuery } from "../../../src/store/query/run-query.ts";
import { fakeIo } from "../../support/hosts/fake-io.ts";

/** A gateway that parses queries as the real one does and answers rows of its own. */
let server: Server;
let rows: QueryAnswer["rows"] = [];
beforeAll(async () => {
  server = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += piece;
    const { query } = JSON.parse(body) as { query: string };
    const runner = { run: async () => ({ ok: true as const, value: [[], [[0n, 0n]]] }) };
    const result = await runQuery(query, { org: "org_a" }, { runner, now: () => 0 });
    const answered =
      result.ok && "columns" in result.value ? { ...result.value, rows, row_count: rows.length } : undefined;
    const error = result.ok ? undefined : { type: "invalid_request_error", ...result.error };
    response.writeHead(error ? 400 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(error ? { error } : (answered ?? (result.ok && result.value))));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

async function modelrig(args: readonly string[], tty = false) {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const io = fakeIo({ env: { MODELRIG_URL: url, MODELRIG_KEY: "k", NO_COLOR: "1" }, tty, columns: 100 });
  const exit = await main(["query", ...args], io);
  return { exit, out: io.out(), err: io.err() };
}

const TEXT = "SELECT tag.client, sum(cost), count(*), p95(latency_ms) FROM inferences GROUP BY tag.client";

describe("modelrig query", () => {
  it("lines figures up for a terminal, and says where they come from", async () => {
    rows = [
      ["acme", "12.500000000", 1_204, 310.25],
      [null, "0.250000000", 7, null],
    ];
    const { exit, out, err } = await modelrig([TEXT], true);
    expect(exit).toBe(0);
    expect(stripVTControlCharacters(out).split("\n").slice(0, 3)).toEqual([
      "tag.client  sum(cost)  count(*)  p95(latency_ms)",
      "acme           $12.50     1,204           310.25",
      "–               $0.25         7                –",
    ]);
    expect(err).toContain("2 rows from rows");
    expect(err).toContain("note: rows of the lanes replay, trial, judge, probe, reference, optimizer are left out");
  });

  it("takes the words of a query unquoted too", async () => {
    expect((await modelrig(TEXT.split(" "))).exit).toBe(0);
  });

  it("gives exact values, tab-separated, to anything that is no terminal", async () => {
    rows = [
      ["a\tb", "0.000000001", 2, 0.5],
      [null, null, 0, null],
    ];
    expect((await modelrig([TEXT])).out).toBe(
      "tag.client\tsum(cost)\tcount(*)\tp95(latency_ms)\na b\t0.000000001\t2\t0.5\n\t\t0\t\n",
    );
  });

  it("prints CSV that a spreadsheet reads and does not run", async () => {
    rows = [
      ['a,"b"', "0.000000001", -2, 1],
      ["=cmd()", "-1.000000000", 2, 1],
    ];
    expect((await modelrig([TEXT, "--csv"])).out).toBe(
      'tag.client,sum(cost),count(*),p95(latency_ms)\n"a,""b""",0.000000001,-2,1\n\'=cmd(),-1.000000000,2,1\n',
    );
  });

  it("prints one JSON document", async () => {
    rows = [["acme", "1.000000000", 1, 1]];
    const { out } = await modelrig([TEXT, "--json"]);
    expect(JSON.parse(out)).toMatchObject({
      schema: "modelrig.query/1",
      rows,
      columns: [{ name: "tag.client" }, {}, {}, {}],
    });
  });

  it("explains a query with --explain", async () => {
    const { out } = await modelrig([TEXT, "--explain"]);
    expect(out).toContain("not from rollups: p95 needs every value");
    expect(out).toContain('?1  "$.\\"client\\""');
  });

  it("shows the place of an error, and what could stand there", async () => {
    const { exit, out, err } = await modelrig(["SELECT route,\n  modl\nFROM inferences"]);
    expect({ exit, out }).toEqual({ exit: 2, out: "" });
    expect(err).toContain("error[query_column] inferences have no column modl\n");
    expect(err).toContain("> 2 |   modl\n    |   ^^^^\n");
    expect(err).toContain("fix: did you mean model?");
  });

  it("gives the place to programs as figures", async () => {
    const { out } = await modelrig(["SELECT modl FROM inferences", "--json"]);
    expect(JSON.parse(out)).toMatchObject({
      error: { code: "query_column", position: 7, length: 4, hint: "did you mean model?" },
    });
  });

  it("without a query says what one looks like", async () => {
    const { exit, err } = await modelrig([]);
    expect(exit).toBe(2);
    expect(err).toContain('fix: modelrig query "SELECT');
  });
});
