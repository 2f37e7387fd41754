import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { Miniflare } from "miniflare";
import { afterEach, describe, expect, it, vi } from "vitest";
import { listen, type RunningServer } from "../../support/upstreams/http-server.ts";

/** An outbox shared by the requests of one isolate, as in the gateway; its queue is a server of the test's. */
const SOURCE = `
import { clockOf } from "./src/call/time/clock.ts";
import { Outbox } from "./src/telemetry/outbox.ts";
const clock = clockOf({
  now: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
});
let queue;
const outbox = new Outbox({
  clock,
  async send(message) {
    const response = await fetch(queue, { method: "POST", body: JSON.stringify(message) });
    if (!response.ok) throw new Error("refused");
  },
});
export default {
  async fetch(request, env, context) {
    queue = env.QUEUE;
    const told = (outcome) => fetch(queue + "/told", { method: "POST", body: outcome });
    const send = outbox.send({ inference: { id: await request.text() }, bytes: 100 });
    context.waitUntil(send.then(() => told("accepted"), () => told("refused")));
    return new Response("ok");
  },
};`;

interface Message {
  readonly inference?: { readonly id: string };
  readonly inferences?: readonly { readonly id: string }[];
}

let worker: Miniflare | undefined;
let queue: RunningServer | undefined;
afterEach(async () => {
  await worker?.dispose();
  await queue?.close();
});

/** Starts both. `answer` says what becomes of the queue's nth message: a status, or silence. */
async function start(answer: (nth: number) => number | undefined) {
  const messages: string[][] = [];
  const told: string[] = [];
  queue = await listen(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    if (request.url === "/told") {
      told.push(text);
      response.end();
      return;
    }
    const { inference, inferences = inference ? [inference] : [] } = JSON.parse(text) as Message;
    const status = answer(messages.push(inferences.map(({ id }) => id)) - 1);
    if (status !== undefined) setTimeout(() => response.writeHead(status).end(), 30);
  });
  const bundled = await build({
    stdin: { contents: SOURCE, resolveDir: fileURLToPath(new URL("../../..", import.meta.url)), loader: "ts" },
    ...{ bundle: true, write: false, format: "esm", platform: "neutral", mainFields: ["module", "main"] },
  });
  worker = new Miniflare({
    modules: true,
    script: bundled.outputFiles[0]?.text ?? "",
    compatibilityDate: "2026-07-30",
    bindings: { QUEUE: queue.url },
  });
  const url = await worker.ready;
  const ids = Array.from({ length: 40 }, (_, index) => `inf_${index}`);
  await Promise.all(ids.map((id) => fetch(url, { method: "POST", body: id }).then((response) => response.text())));
  await vi.waitFor(() => expect(told.length).toBeGreaterThanOrEqual(39), { timeout: 20_000, interval: 50 });
  return { ids, messages, told };
}

describe("an outbox shared by the requests of one isolate", () => {
  it("sends their records together, and every request learns that its own was accepted", async () => {
    const { ids, messages, told } = await start(() => 200);
    expect(messages.length).toBeLessThan(ids.length);
    expect(messages.flat().sort()).toEqual([...ids].sort());
    await vi.waitFor(() => expect(told).toEqual(ids.map(() => "accepted")));
  });

  it("tells every request of a refused group", async () => {
    const { ids, told } = await start(() => 503);
    await vi.waitFor(() => expect(told).toEqual(ids.map(() => "refused")));
  });

  it("sends the records behind a request that never hears of its own", async () => {
    const { ids, messages, told } = await start((nth) => (nth === 0 ? undefined : 200));
    expect(new Set(messages.flat())).toEqual(new Set(ids));
    expect(told).toEqual(ids.slice(1).map(() => "accepted"));
  });
});
