import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { EXIT } from "../../../src/cli/command.ts";
import { exitOf } from "../../../src/cli/commands/doctor.ts";
import { about, type Finding } from "../../../src/cli/doctor/finding.ts";
import { keyFault } from "../../../src/cli/doctor/key-check.ts";
import { checkNode } from "../../../src/cli/doctor/local-checks.ts";
import { main } from "../../../src/cli/main.ts";
import { keyFrom } from "../../../src/identity/key.ts";
import { openJournalBuffer } from "../../../src/sdk/export/journal-buffer.ts";
import { fakeIo } from "../../support/hosts/fake-io.ts";

const KEY = keyFrom(new Uint8Array(32).fill(7));
const HEALTHY = {
  database: { state: "current", version: "0004_moved_inferences" },
  simulation: false,
  local: false,
  missing_provider_keys: [],
  unservable_routes: [],
  query_tokens: { plaintext: 0, faults: [] },
  unfixed_row_scopes: [],
  hours_without_rollup: 1,
};
const WHO = { org: { id: "org_1", slug: "acme" }, key: { id: "key_1", scopes: ["call", "read"] } };

type Reply = { readonly status?: number; readonly body: unknown };

let cwd: string;
let server: Server;
let url: string;
let replies: Record<string, Reply>;
beforeEach(async () => {
  cwd = mkdtempSync(join(tmpdir(), "modelrig-doctor-"));
  replies = {
    "/health": { body: { status: "ok", routes: 1 } },
    "/v1/whoami": { body: { ...WHO, time: new Date().toISOString() } },
    "/v1/diagnosis": { body: HEALTHY },
  };
  server = createServer((request, response) => {
    const { status = 200, body } = replies[request.url ?? ""] ?? { status: 404, body: "no" };
    response.writeHead(status).end(typeof body === "string" ? body : JSON.stringify(body));
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
  rmSync(cwd, { recursive: true, force: true });
});

interface Report {
  readonly exit: number;
  readonly failed: number;
  readonly findings: readonly Finding[];
}

async function doctor(args: readonly string[] = [], env: Record<string, string> = { MODELRIG_KEY: KEY }) {
  const io = fakeIo({ cwd, env: { MODELRIG_URL: url, ...env } });
  const exit = await main(["doctor", "--json", ...args], io);
  const report = JSON.parse(io.out()) as Report;
  expect(report.exit).toBe(exit);
  const of = (status: string) => report.findings.filter((finding) => finding.status === status).map(({ code }) => code);
  return { exit, report, failed: of("fail"), warned: of("warn"), ok: of("ok"), text: io.out() };
}

const broken = (more: Record<string, unknown>): Reply => ({ body: { ...HEALTHY, ...more } });

describe("doctor", () => {
  it("finds nothing wrong where nothing is, and names the org of the key", async () => {
    const { exit, failed, warned, report } = await doctor(["--expect-org", "acme"]);
    expect([exit, failed, warned]).toEqual([EXIT.done, [], []]);
    expect(report.findings.find(({ code }) => code === "org.known")?.evidence).toMatch(
      /^key rig_sk_….{3} → org «acme» \(acme\), scopes call,read$/,
    );
  });

  it.each([
    ["no key", {}, "key.missing"],
    ["a quoted key", { MODELRIG_KEY: `"${KEY}"` }, "key.malformed"],
    ["a padded key", { MODELRIG_API_KEY: ` ${KEY}\n` }, "key.malformed"],
    ["a truncated key", { MODELRIG_KEY: KEY.slice(0, -5) }, "key.malformed"],
  ])("says of %s what happened to it, sends it nowhere, and exits 4", async (_, env, code) => {
    const asked: string[] = [];
    server.on("request", (request) => void asked.push(`${request.url} ${request.headers.authorization ?? ""}`.trim()));
    const { exit, failed, text } = await doctor([], env as Record<string, string>);
    expect([exit, failed]).toEqual([EXIT.auth, [code]]);
    expect(asked).toEqual(["/health"]);
    expect(text).not.toContain(KEY.slice(7, 40));
  });

  it("tells a key that is not accepted from one that something else refuses, and asks no further", async () => {
    for (const [status, code] of [
      [401, "org.unauthorized"],
      [403, "org.forbidden"],
    ] as const) {
      replies["/v1/whoami"] = { status, body: { error: { message: "no" } } };
      const { exit, failed, ok } = await doctor();
      expect([exit, failed]).toEqual([EXIT.auth, [code]]);
      expect(ok.filter((passed) => /schema|providers|rows|tokens/.test(passed))).toEqual([]);
    }
  });

  it("says that a gateway is away, is none, cannot reach its database, or does not answer in time", async () => {
    replies["/v1/whoami"] = { status: 503, body: { error: { message: "away" } } };
    expect(await doctor()).toMatchObject({ exit: EXIT.unreachable, failed: ["org.keys_unavailable"] });
    replies["/health"] = { body: "<html>It works!</html>" };
    expect(await doctor()).toMatchObject({ exit: EXIT.unreachable, failed: ["gateway.not_modelrig"] });
    server.removeAllListeners("request");
    expect(await doctor(["--timeout", "0.05"])).toMatchObject({
      exit: EXIT.unreachable,
      failed: ["gateway.unreachable"],
    });
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
    const { exit, report } = await doctor();
    expect(exit).toBe(EXIT.unreachable);
    expect(report.findings.find(({ code }) => code === "gateway.unreachable")?.evidence).toContain("ECONNREFUSED");
  });

  it("fails where the key belongs to another org than expected, by flag or by environment", async () => {
    expect(await doctor(["--expect-org", "other"])).toMatchObject({ exit: EXIT.no, failed: ["org.mismatch"] });
    const env = { MODELRIG_KEY: KEY, MODELRIG_EXPECT_ORG: "other" };
    const { report } = await doctor([], env);
    expect(report.findings.find(({ code }) => code === "org.mismatch")?.evidence).toMatch(
      /^ORG MISMATCH: .*\(acme\), expected other$/,
    );
  });

  it.each([
    ["a schema that is behind", { database: { state: "behind", version: "0001", expected: "0002" } }, "schema.behind"],
    ["a schema that is newer", { database: { state: "ahead", version: "0009", expected: "0002" } }, "schema.ahead"],
    ["a database that is away", { database: { state: "unreachable" } }, "schema.unreachable"],
    ["a database token refused", { database: { state: "unauthorized" } }, "schema.unauthorized"],
    [
      "a route that nothing can serve",
      { missing_provider_keys: [{ variable: "X_API_KEY", routes: ["a.b"] }], unservable_routes: ["a.b"] },
      "providers.route_unservable",
    ],
    [
      "an unreadable query token",
      { query_tokens: { plaintext: 0, faults: ["entry 1 is not …"] } },
      "tokens.unreadable",
    ],
    ["a store of responses without its key", { responses_store: { state: "unusable" } }, "responses.key_unusable"],
  ])("fails on %s", async (_, more, code) => {
    replies["/v1/diagnosis"] = broken(more);
    expect(await doctor()).toMatchObject({ exit: EXIT.no, failed: [code] });
  });

  it.each([
    [
      "a provider key that only a fallback needs",
      { missing_provider_keys: [{ variable: "X", routes: ["a.b"] }] },
      "providers.key_missing",
    ],
    ["query tokens in plain text", { query_tokens: { plaintext: 2, faults: [] } }, "tokens.plaintext"],
    [
      "a row scope whose tag a writer may choose",
      { unfixed_row_scopes: [{ tag: "client", keys: ["rig_sk_…abc"] }] },
      "rows.unfixed_tag",
    ],
    [
      "a store of responses that keeps none",
      { responses_store: { state: "on", custody: "hash" } },
      "responses.custody",
    ],
    ["the simulator on a deployed gateway", { simulation: true }, "sim.deployed"],
    ["upkeep that does not come by", { hours_without_rollup: 100 }, "upkeep.behind"],
  ])("warns of %s, which fails nothing", async (_, more, code) => {
    replies["/v1/diagnosis"] = broken(more);
    expect(await doctor()).toMatchObject({ exit: EXIT.done, warned: [code] });
  });

  it("takes the simulator of `modelrig dev` as it is meant", async () => {
    replies["/v1/diagnosis"] = broken({ simulation: true, local: true });
    expect(await doctor()).toMatchObject({ exit: EXIT.done, warned: [] });
  });

  it("warns of a clock that is off, either way, and of a key that is about to expire", async () => {
    for (const off of [-120_000, 120_000]) {
      replies["/v1/whoami"] = { body: { ...WHO, time: new Date(Date.now() + off).toISOString() } };
      expect((await doctor()).warned).toEqual(["clock.skew"]);
    }
    const soon = new Date(Date.now() + 3 * 86_400_000).toISOString();
    replies["/v1/whoami"] = {
      body: { ...WHO, key: { ...WHO.key, expires_at: soon }, time: new Date().toISOString() },
    };
    expect((await doctor()).warned).toEqual(["org.key_expires"]);
  });

  it("says why a key that sees only certain rows learns nothing of the org", async () => {
    replies["/v1/diagnosis"] = { status: 403, body: { error: { code: "row_scope", message: "no" } } };
    replies["/v1/whoami"] = { body: WHO };
    const { exit, report } = await doctor();
    expect(exit).toBe(EXIT.done);
    expect(JSON.stringify(report.findings)).toContain("the key sees only certain rows");
  });

  it("skips, and never calls ok, what a key without the scope read or an older gateway does not tell", async () => {
    replies["/v1/diagnosis"] = { status: 403, body: { error: { message: "no" } } };
    replies["/v1/whoami"] = { body: WHO };
    const { exit, ok, report } = await doctor();
    expect(exit).toBe(EXIT.done);
    expect(ok.filter((code) => /schema|providers|rows|tokens|clock/.test(code))).toEqual([]);
    expect(report.findings.filter(({ status }) => status === "skip").map(({ subject }) => subject)).toEqual(
      expect.arrayContaining(["clock", "gateway"]),
    );
  });

  it("checks the folder whatever the gateway does: routes, who may read captures, what the SDK has not sent", async () => {
    mkdirSync(join(cwd, "routes"));
    writeFileSync(join(cwd, "routes", "a.yaml"), "route: a\ncandidatess: []\n");
    mkdirSync(join(cwd, ".modelrig"));
    chmodSync(join(cwd, ".modelrig"), 0o755);
    const buffer = openJournalBuffer(join(cwd, ".modelrig", "buffer"), "s");
    buffer.add({ body: "{}", at: 1 });
    const [item] = buffer.claim({ now: 2, mostItems: 1, mostBytes: 100 });
    buffer.bury([item?.seq ?? 0], { code: "bad", message: "no", at: 2 });
    buffer.close();
    const { failed, warned, report } = await doctor();
    expect(failed, JSON.stringify(report.findings)).toEqual(["routes.invalid", "captures.permissions"]);
    expect(warned).toEqual(["buffer.refused"]);
  });

  it("prints a fix below each failure and warning, and the counts last", async () => {
    replies["/v1/diagnosis"] = broken({
      database: { state: "behind", version: "0001", expected: "0002" },
      simulation: true,
    });
    const io = fakeIo({ cwd, env: { MODELRIG_URL: url, MODELRIG_KEY: KEY } });
    expect(await main(["doctor"], io)).toBe(EXIT.no);
    const lines = io.out().trimEnd().split("\n");
    for (const [index, line] of lines.entries())
      if (/^[✗!] /.test(line)) expect(lines[index + 1]).toMatch(/^\s+fix: \S/);
    expect(io.out()).toMatch(/^✗ schema +the database is at 0001, the gateway expects 0002$/m);
    expect(lines.at(-1)).toBe("1 failed, 1 warning, 3 skipped; exit 3");
  });
});

describe("the exit code of doctor", () => {
  it("is that of the failure which explains the others", () => {
    const { fail, warn } = about("x");
    const [no, auth, away] = [fail("a", "", ""), fail("b", "", "", EXIT.auth), fail("c", "", "", EXIT.unreachable)];
    expect([exitOf([warn("w", "", "")]), exitOf([no]), exitOf([no, away]), exitOf([no, away, auth])]).toEqual([
      0, 3, 5, 4,
    ]);
  });
});

describe("a malformed key", () => {
  it("is told apart by what was done to it", () => {
    expect(keyFault(KEY)).toBeUndefined();
    expect(keyFault(`'${KEY}'`)).toContain("quotes");
    expect(keyFault(`${KEY}\r`)).toContain("blanks");
    expect(keyFault(`Bearer ${KEY}`)).toContain("Bearer");
    expect(keyFault("sk-proj-abc")).toContain("provider");
    expect(keyFault(KEY.slice(0, -1))).toContain("truncated: 55 of 56");
    expect(keyFault(KEY + KEY)).toContain("too long");
    expect(keyFault(`${KEY.slice(0, -1)}${KEY.endsWith("0") ? "1" : "0"}`)).toContain("mistyped");
  });
});

it("an old Node fails, a new one does not", () => {
  expect([checkNode("20.11.0").status, checkNode("22.12.0").status, checkNode("24.0.0").status]).toEqual([
    "fail",
    "ok",
    "ok",
  ]);
});
