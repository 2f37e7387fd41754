/**
 * Telemetry through bad times, with the parts `modelrig dev` is made of: the built Worker and its queue under Miniflare,
 * and the database served over Hrana. `MODELRIG_OUTAGE_MS` sets how long the database stays away (default 5000).
 */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createClient } from "@libsql/client";
import { afterEach, describe, expect, test } from "vitest";
import { startWorker, type WorkerHost } from "../../src/cli/dev/worker-host.ts";
import { compileAll } from "../../src/config/compile-all.ts";
import { displayKey, hashKey, keyFrom } from "../../src/identity/key.ts";
import { EVERY_LANE } from "../../src/identity/reach.ts";
import { SCOPES } from "../../src/identity/scope.ts";
import { startGateway } from "../support/hosts/dev-gateway.ts";
import { freshFolder } from "../support/hosts/dev-process.ts";
import { localStore } from "../support/hosts/local-database.ts";
import { startFaultyUpstream } from "../support/upstreams/faulty-upstream.ts";

const OUTAGE_MS = Number(process.env["MODELRIG_OUTAGE_MS"] ?? 5_000);

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const upstreamModel = {
  models: { m: { context_window: 100_000, max_output: 100, price: { input_per_million: 1, output_per_million: 2 } } },
};

interface Sent {
  status: number;
  id: string | null;
}

/** `width` clients that call one after the other until `over`; what each call was answered. */
function load(width: number, over: AbortSignal, one: (turn: number) => Promise<Sent>): Promise<Sent[]> {
  const client = async (first: number): Promise<Sent[]> => {
    const sent: Sent[] = [];
    for (let turn = first; !over.aborted; turn += width) {
      sent.push(await one(turn).catch(() => ({ status: 0, id: null })));
      await pause(20);
    }
    return sent;
  };
  return Promise.all(Array.from({ length: width }, (_, first) => client(first))).then((all) => all.flat());
}

async function rows(file: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = createClient({ url: `file:${file}` });
  try {
    return (await client.execute(sql)).rows.map((row) => ({ ...row }));
  } finally {
    client.close();
  }
}

describe("the database away under load", () => {
  test(
    `for ${OUTAGE_MS} ms: calls go on, and every inference arrives, once`,
    async () => {
      const upstream = await startFaultyUpstream();
      closers.push(upstream.close);
      const database = await localStore();
      closers.push(database.remove);
      const key = keyFrom(randomBytes(32));
      const org = await database.store.orgs.ensure({ id: "org_local", slug: "local" }, { by: "test", at: Date.now() });
      await database.store.forOrg(org.id).keys.create(
        {
          ...{ keyId: "key_1", hash: await hashKey(key), display: displayKey(key), label: "test" },
          ...{ scopes: SCOPES, routes: EVERY_LANE, fixedTags: {} },
        },
        { by: "test", at: Date.now() },
      );
      const compiled = await compileAll(
        [],
        {
          file: "modelrig.yaml",
          text: JSON.stringify({
            providers: { up: { dialect: "openai", base_url: `${upstream.url}/ok/v1`, ...upstreamModel } },
          }),
        },
        { at: new Date(), readFile: () => undefined },
      );
      if (!compiled.ok) throw new Error(JSON.stringify(compiled.error));
      const log: string[] = [];
      const worker: WorkerHost = await startWorker({
        persist: join(freshFolder(), "objects"),
        bindings: {
          MODELRIG_COMPILED: compiled.value,
          TURSO_DATABASE_URL: database.connection.url,
          TURSO_AUTH_TOKEN: database.connection.authToken,
        },
        log: (line) => void log.push(line),
      });
      closers.push(worker.dispose);

      const call = async (turn: number): Promise<Sent> => {
        const response = await fetch(`http://127.0.0.1:${worker.port}/v1/chat/completions`, {
          method: "POST",
          headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
          body: JSON.stringify({
            ...{ model: "up/m", stream: turn % 2 === 0 },
            messages: [{ role: "user", content: "hello" }],
          }),
        });
        await response.text();
        return { status: response.status, id: response.headers.get("x-modelrig-inference-id") };
      };
      const over = new AbortController();
      const answers = load(4, over.signal, call);
      await pause(1_000);
      await database.stop();
      await pause(OUTAGE_MS);
      await database.start();
      await pause(1_000);
      over.abort();
      const sent = await answers;

      expect(new Set(sent.map(({ status }) => status))).toEqual(new Set([200]));
      expect(log.join("\n")).toContain("telemetry comes again later");
      const ids = sent.map(({ id }) => id).sort();
      const stored = async () =>
        (await rows(database.file, "select id from inferences order by id")).map(({ id }) => id);
      await expect.poll(async () => (await stored()).length, { timeout: 120_000, interval: 250 }).toBe(ids.length);
      expect(await stored()).toEqual(ids);
      console.log(`database away for ${OUTAGE_MS} ms: ${ids.length} calls answered, ${ids.length} records, each once`);
    },
    OUTAGE_MS + 180_000,
  );
});

describe("SIGTERM under load", () => {
  test("loses nothing: every call that was sent upstream is stored, whole, streamed, failed or left", async () => {
    const upstream = await startFaultyUpstream();
    closers.push(upstream.close);
    const kinds = ["ok", "trickle:30", "slow:200", "status:500", "cut-after:3"];
    const provider = (kind: string) => ({
      dialect: "openai",
      base_url: `${upstream.url}/${kind}/v1`,
      ...upstreamModel,
    });
    const entries = kinds.map((kind, index) => [`p${index}`, provider(kind)] as const);
    const db = join(freshFolder(), "load.db");
    const gateway = await startGateway({ providers: Object.fromEntries(entries), routes: {}, args: ["--db", db] });
    closers.push(async () => gateway.dev.child.exitCode ?? gateway.dev.stop("SIGKILL"));

    const over = new AbortController();
    const answers = load(12, over.signal, async (turn) => {
      const leaves = turn % 7 === 0;
      const response = await gateway.post(
        { model: `p${turn % kinds.length}/m`, stream: turn % 2 === 0 },
        leaves ? { signal: AbortSignal.timeout(60) } : {},
      );
      const id = response.headers.get("x-modelrig-inference-id");
      await response.text();
      return { status: response.status, id };
    });
    await pause(2_000);
    expect(await gateway.dev.stop("SIGTERM")).toBe(0);
    over.abort();
    const sent = (await answers).filter(({ id }) => id !== null);

    const inferences = await rows(db, "select id, failure_class from inferences");
    const stored = inferences.map(({ id }) => id);
    expect(new Set(stored).size).toBe(stored.length);
    for (const { id } of sent) expect(stored).toContain(id);
    // Whatever the client saw: what an upstream was asked for is an attempt of some inference.
    const [attempts] = await rows(db, "select count(*) as n from attempts");
    expect(Number(attempts?.["n"])).toBeGreaterThanOrEqual(upstream.requests().length);
    expect(inferences.some((row) => row["failure_class"] === "canceled")).toBe(true);
    console.log(
      `SIGTERM: ${sent.length} calls answered, ${stored.length} stored, ${upstream.requests().length} upstream requests, ${attempts?.["n"]} attempts`,
    );
  });
});
