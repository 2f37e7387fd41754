import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { main } from "../../../src/cli/main.ts";
import { reportOf } from "../../support/bakeoff/recorded-report.ts";
import { fakeIo } from "../../support/hosts/fake-io.ts";
import { listen, type RunningServer } from "../../support/upstreams/http-server.ts";

let folder: string;
let gateway: RunningServer;
/** What the gateway was asked, and bodies of what starts a bake-off. */
let asked: string[];
let started: unknown[];
/** What it says of the bake-off at each poll; the last one stays. */
let says: unknown[];

const state = (more: object) => ({
  ...{ id: "bo_h", state: "running", poll: "/v1/bakeoffs/bo_h", route: "acme.task" },
  ...{ done: 3, planned: 40, spent_usd: "0.012000000", error: null, ...more },
});

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "modelrig-hosted-cli-"));
  [asked, started, says] = [[], [], []];
  gateway = await listen((request, response) => {
    let text = "";
    request.on("data", (chunk) => {
      text += String(chunk);
    });
    request.on("end", () => {
      const path = `${request.method} ${request.url}`;
      asked.push(path);
      const send = (status: number, body: unknown): void =>
        void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
      if (path === "POST /v1/bakeoffs/run/acme.task") {
        started.push(JSON.parse(text));
        return send(202, { id: "bo_h", state: "queued", poll: "/v1/bakeoffs/bo_h" });
      }
      if (path === "GET /v1/bakeoffs/bo_h") return send(200, says.length > 1 ? says.shift() : says[0]);
      if (path.startsWith("GET /v1/proposals")) return send(200, { proposals: [] });
      send(404, { error: { message: "nothing here" } });
    });
  });
});
afterEach(() => gateway.close());

async function hosted(args: readonly string[], signal = new AbortController().signal) {
  const io = fakeIo({ cwd: folder, env: { MODELRIG_URL: gateway.url, MODELRIG_KEY: "rig_sk_test" } });
  const exitCode = await main(["bakeoff", "--hosted", ...args], { ...io, signal });
  return { exitCode, out: io.out(), err: io.err() };
}

describe("bakeoff --hosted", () => {
  it("starts it with what was asked, waits, and ends with the report", async () => {
    says = [state({ state: "queued", done: 0 }), state({}), { ...reportOf(), id: "bo_h" }];
    const flags = [
      "--variants",
      "cheap",
      "--replay-last",
      "50",
      "--total-usd",
      "3",
      "--seed",
      "7",
      "--reference",
      "auto",
    ];
    const { exitCode, out, err } = await hosted(["--route", "acme.task", ...flags, "--yes", "--json"]);
    expect({ exitCode, err: exitCode === 0 ? "" : err }).toEqual({ exitCode: 0, err: "" });
    expect(started).toEqual([
      {
        variants: ["cheap"],
        last: 50,
        budget_usd: "5.000000000",
        total_usd: "3.000000000",
        seed: 7,
        reference: "auto",
      },
    ]);
    expect(JSON.parse(out)).toMatchObject({ schema: "modelrig.bakeoff/1", id: "bo_h" });
    expect(existsSync(join(folder, ".modelrig/bakeoffs/bo_h.json"))).toBe(true);
  });

  it("asks first: without a terminal and --yes nothing is started", async () => {
    const { exitCode, err } = await hosted(["--route", "acme.task"]);
    expect(exitCode).toBe(2);
    expect(err).toContain("--yes");
    expect(asked).toEqual([]);
  });

  it("takes up the watch by id, and starts nothing", async () => {
    says = [{ ...reportOf(), id: "bo_h", partial: true }];
    expect(await hosted(["--resume", "bo_h"])).toMatchObject({ exitCode: 6 });
    expect(started).toEqual([]);
  });

  it("says no to an id that the gateway does not know", async () => {
    const { exitCode, err } = await hosted(["--resume", "bo_other"]);
    expect(exitCode).toBe(3);
    expect(err).toContain("knows no such bake-off");
  });

  it("fails with the gateway's own reason", async () => {
    says = [state({ state: "failed", error: { code: "eval_case_gone", message: "the eval case 3 was deleted" } })];
    const { exitCode, err } = await hosted(["--resume", "bo_h"]);
    expect(exitCode).toBe(1);
    expect(err).toContain("bakeoff.eval_case_gone");
    expect(err).toContain("the eval case 3 was deleted");
  });

  it("lets it go on when Ctrl-C comes and nobody can be asked, and says how to come back", async () => {
    says = [state({})];
    const stop = new AbortController();
    stop.abort();
    const { exitCode, err } = await hosted(["--resume", "bo_h"], stop.signal);
    expect(exitCode).toBe(130);
    expect(err).toContain("modelrig bakeoff --hosted --resume bo_h");
    expect(asked.some((path) => path.includes("cancel"))).toBe(false);
  });

  it.each([
    ["--stratify", ["--stratify", "tag:client"]],
    ["--failures-first", ["--failures-first"]],
    ["--incumbent", ["--incumbent", "cheap"]],
    ["--repeats", ["--repeats", "3"]],
    ["--keep-outputs", ["--keep-outputs", "5"]],
    ["--dry-run", ["--dry-run"]],
    ["--cluster tag:x", ["--cluster", "tag:x"]],
  ])("refuses %s, which only this machine's captures can have", async (_flag, args) => {
    expect(await hosted(["--route", "acme.task", "--yes", ...args])).toMatchObject({ exitCode: 2, out: "" });
    expect(asked).toEqual([]);
  });
});
