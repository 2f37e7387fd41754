import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { createClient } from "@libsql/client";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { EXIT } from "../../../src/cli/command.ts";
import { type DevProcess, freshFolder, modelrig, startDev } from "../../support/hosts/dev-process.ts";
import { completion, type ScriptedUpstream, startScriptedUpstream } from "../../support/upstreams/scripted-upstream.ts";

const SIM_ROUTE = `route: demo.echo
candidates:
  - provider: sim
    model: atlas-small
`;

function project(files: Readonly<Record<string, string>>): string {
  const cwd = freshFolder();
  mkdirSync(join(cwd, "routes"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  return cwd;
}

const running: DevProcess[] = [];
const upstreams: ScriptedUpstream[] = [];
afterEach(async () => {
  await Promise.all(
    running.splice(0).map((dev) => (dev.child.exitCode === null ? dev.stopGroup("SIGKILL") : undefined)),
  );
  await Promise.all(upstreams.splice(0).map((upstream) => upstream.close()));
});

async function dev(cwd: string, args: readonly string[] = [], env: Record<string, string> = {}): Promise<DevProcess> {
  const process = await startDev(args, { cwd, env });
  running.push(process);
  return process;
}

async function upstreamProject(): Promise<{ cwd: string; upstream: ScriptedUpstream }> {
  const upstream = await startScriptedUpstream();
  upstreams.push(upstream);
  const cwd = project({
    "routes/demo.up.yaml": "route: demo.up\ncandidates:\n  - provider: up\n    model: m-1\n",
    "modelrig.yaml": `providers:\n  up:\n    dialect: openai\n    base_url: ${upstream.baseUrl}\n    api_key_env: UP_API_KEY\n    models:\n      m-1: {}\n`,
  });
  return { cwd, upstream };
}

function chat(dev: DevProcess, model: string, more: Record<string, unknown> = {}): Promise<Response> {
  return fetch(`${dev.ready.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${dev.ready.key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "hello" }], ...more }),
  });
}

/** The hash of the route as the gateway serves it. */
async function live(dev: DevProcess, route: string): Promise<string> {
  const headers = { authorization: `Bearer ${dev.ready.key}` };
  const answer = await fetch(`${dev.ready.url}/v1/routes/${route}/live`, { headers });
  return ((await answer.json()) as { route_hash: string }).route_hash;
}

async function said(dev: DevProcess, text: RegExp): Promise<void> {
  await expect.poll(() => dev.stderr(), { timeout: 30_000 }).toMatch(text);
}

async function storedInferences(db: string): Promise<number> {
  const client = createClient({ url: `file:${db}` });
  const { rows } = await client.execute("select count(*) as n from inferences");
  client.close();
  return Number(rows[0]?.["n"]);
}

describe("modelrig dev", () => {
  let simulated: string;
  beforeAll(() => {
    simulated = project({ "routes/demo.echo.yaml": SIM_ROUTE });
  });

  test("prints one JSON line and nothing else on stdout, and answers a call", async () => {
    const process = await dev(simulated);
    expect(Object.keys(process.ready).sort()).toEqual(["db_url", "key", "org", "url"]);
    const response = await chat(process, "demo.echo");
    expect(response.status).toBe(200);
    expect(response.headers.get("x-modelrig-simulated")).toBe("true");
    expect(await process.stop("SIGTERM")).toBe(EXIT.done);
    expect(process.stdout().split("\n").filter(Boolean)).toHaveLength(1);
  });

  test("keeps its key between runs, readable by the user alone", async () => {
    const first = await dev(simulated);
    await first.stop();
    const second = await dev(simulated);
    expect(second.ready.key).toBe(first.ready.key);
    expect(second.ready.org).toBe(first.ready.org);
    expect(statSync(join(simulated, ".modelrig")).mode & 0o777).toBe(0o700);
    expect(statSync(join(simulated, ".modelrig", "dev.json")).mode & 0o777).toBe(0o600);
    const objects = join(simulated, ".modelrig", "dev.db-objects");
    const kept = readdirSync(objects, { recursive: true, withFileTypes: true });
    expect(kept.some((entry) => entry.name.endsWith(".sqlite"))).toBe(true);
    for (const entry of kept) {
      const mode = statSync(join(entry.parentPath, entry.name)).mode & 0o777;
      expect([entry.name, mode]).toEqual([entry.name, entry.isDirectory() ? 0o700 : 0o600]);
    }
  });

  test("names the port that is taken and the flag that helps", async () => {
    const blocker = createServer();
    await new Promise<void>((resolve) => blocker.listen(0, "127.0.0.1", resolve));
    const { port } = blocker.address() as { port: number };
    const result = await modelrig(["dev", "--port", String(port)], { cwd: simulated });
    blocker.close();
    expect(result.exitCode).toBe(EXIT.unexpected);
    expect(result.stderr).toContain(`port ${port} is taken`);
    expect(result.stderr).toContain("--port");
  });

  test("does not start on faulty routes, and says where the fault is", async () => {
    const cwd = project({ "routes/demo.bad.yaml": `${SIM_ROUTE.replace("demo.echo", "demo.bad")}retires: 3\n` });
    const result = await modelrig(["dev", "--port", "0"], { cwd });
    expect(result.exitCode).toBe(EXIT.no);
    expect(result.stderr).toContain("demo.bad.yaml:5:1");
    expect(result.stderr).toContain("retires");
  });

  test("does not start on a file that is no database", async () => {
    const cwd = project({
      "routes/demo.echo.yaml": SIM_ROUTE,
      "not.db": "this is no database, and long enough to tell",
    });
    const result = await modelrig(["dev", "--port", "0", "--db", "not.db"], { cwd });
    expect(result.exitCode).toBe(EXIT.unexpected);
    expect(result.stderr).toContain("not.db");
    expect(result.stderr).not.toMatch(/\n\s+at /);
  });

  test("reads provider keys from the env file by the names the configuration gives, and shows them nowhere", async () => {
    const { cwd, upstream } = await upstreamProject();
    writeFileSync(join(cwd, "keys.env"), "UP_API_KEY=up-secret-4711\nUNRELATED=x\n");
    const process = await dev(cwd, ["--env-file", "keys.env"]);
    expect((await chat(process, "demo.up")).status).toBe(200);
    expect(upstream.seen[0]?.headers["authorization"]).toBe("Bearer up-secret-4711");
    await process.stop();
    expect(process.stdout() + process.stderr()).not.toContain("up-secret-4711");
  });

  test("answers a refusal so that a client which still sends sees it", async () => {
    const cwd = project({ "routes/demo.echo.yaml": SIM_ROUTE, "modelrig.yaml": "limits: { body_bytes: 1000000 }\n" });
    const process = await dev(cwd);
    const large = "x".repeat(12_000_000);
    const post = (path: string, authorization: string, body: string | ReadableStream): Promise<Response> =>
      fetch(`${process.ready.url}${path}`, {
        ...{ method: "POST", body, duplex: "half", headers: { authorization, "content-type": "application/json" } },
      });
    const key = `Bearer ${process.ready.key}`;
    for (const path of ["/v1/ingest", "/v1/chat/completions", "/v1/run/demo.echo"]) {
      for (let again = 0; again < 4; again += 1) {
        expect((await post(path, key, large)).status).toBe(413);
        expect((await post(path, key, new Blob([large]).stream())).status).toBe(413);
        expect((await post(path, "Bearer wrong", "x".repeat(900_000))).status).toBe(401);
      }
    }
    expect((await post("/v1/nowhere", key, "x".repeat(900_000))).status).toBe(404);
    expect(await process.stop()).toBe(EXIT.done);
  });

  test("serves routes and configuration anew when their files change, and says which", async () => {
    const { cwd, upstream } = await upstreamProject();
    const process = await dev(cwd, [], { UP_API_KEY: "k", OTHER_API_KEY: "other-key" });
    expect((await chat(process, "demo.up")).status).toBe(200);
    const file = join(cwd, "routes", "demo.up.yaml");
    const before = await live(process, "demo.up");
    writeFileSync(file, "route: demo.up\ncandidates:\n  - provider: up\n    model: m-2\n");
    writeFileSync(join(cwd, "routes", "demo.new.yaml"), SIM_ROUTE.replace("demo.echo", "demo.new"));
    const config = readFileSync(join(cwd, "modelrig.yaml"), "utf8");
    writeFileSync(join(cwd, "modelrig.yaml"), config.replace("UP_API_KEY", "OTHER_API_KEY").replace("m-1", "m-2"));
    await said(process, /reloaded demo\.new \(new\), demo\.up, the configuration\n/);
    expect(await live(process, "demo.up")).not.toBe(before);
    expect((await chat(process, "demo.up")).status).toBe(200);
    expect(upstream.seen.at(-1)?.body).toMatchObject({ model: "m-2" });
    expect(upstream.seen.at(-1)?.headers["authorization"]).toBe("Bearer other-key");
    expect((await chat(process, "demo.new")).status).toBe(200);

    writeFileSync(file, "route: demo.up\ncandidatez: []\n");
    await said(process, /not reloaded: what compiled before is still served/);
    expect(process.stderr()).toContain("candidatez");
    expect((await chat(process, "demo.up")).status).toBe(200);

    rmSync(file);
    await said(process, /reloaded demo\.up \(removed\)\n/);
    expect((await chat(process, "demo.up")).status).toBe(404);
    expect(await process.stop()).toBe(EXIT.done);
  });

  test("ends a call that was in flight at a reload on the route it began with, and stores it", async () => {
    const { cwd, upstream } = await upstreamProject();
    let finish: (() => void) | undefined;
    upstream.script((response, request) => {
      finish = () => void completion("slow")(response, request);
    });
    const process = await dev(cwd, ["--db", "reload.db"], { UP_API_KEY: "k" });
    const open = chat(process, "demo.up");
    while (finish === undefined) await new Promise((resolve) => setTimeout(resolve, 10));
    rmSync(join(cwd, "routes", "demo.up.yaml"));
    await said(process, /reloaded demo\.up \(removed\)\n/);
    finish();
    expect((await open).status).toBe(200);
    expect(await process.stop()).toBe(EXIT.done);
    expect(await storedInferences(join(cwd, "reload.db"))).toBe(1);
  });

  test.each([
    ["SIGTERM", "stop"],
    ["SIGINT", "stopGroup"],
  ] as const)(
    "ends cleanly under load on %s (%s): calls in flight are answered, each record is stored once",
    async (signal, how) => {
      const { cwd, upstream } = await upstreamProject();
      upstream.script((response, request) => void setTimeout(() => void completion("slow")(response, request), 700));
      const process = await dev(cwd, ["--db", "load.db"], { UP_API_KEY: "k" });
      const calls = Array.from({ length: 20 }, () => chat(process, "demo.up").then((response) => response.status));
      while (upstream.seen.length < 20) await new Promise((resolve) => setTimeout(resolve, 10));
      expect(await process[how](signal)).toBe(EXIT.done);
      expect(await Promise.all(calls)).toEqual(Array.from({ length: 20 }, () => 200));
      expect(await storedInferences(join(cwd, "load.db"))).toBe(20);
    },
  );
});
