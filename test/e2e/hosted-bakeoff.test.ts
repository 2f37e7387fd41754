/** A hosted bake-off under `modelrig dev`: the built Worker, the local workflow engine, and a machine that loses power. */
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, expect, test, vi } from "vitest";
import { gatewayFolder } from "../support/hosts/dev-gateway.ts";
import { type DevProcess, startDev } from "../support/hosts/dev-process.ts";
import { listen } from "../support/upstreams/http-server.ts";

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const CASES = 30;
const price = { input_per_million: 1, output_per_million: 2 };
const models = Object.fromEntries(
  ["dear", "cheap"].map((id) => [id, { context_window: 100_000, max_output: 100, price }]),
);

/** Answers with the last message, after a while; counts what it was asked. */
async function slowUpstream() {
  const asked = new Map<string, number>();
  const server = await listen(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    const { model, messages } = JSON.parse(text) as { model: string; messages: { content: string }[] };
    const content = messages.at(-1)?.content ?? "";
    asked.set(`${model} ${content}`, (asked.get(`${model} ${content}`) ?? 0) + 1);
    await pause(100);
    const choices = [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }];
    const usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ id: "up", object: "chat.completion", created: 1, model, choices, usage }));
  });
  closers.push(server.close);
  return { url: server.url, asked };
}

function client({ ready }: DevProcess) {
  return async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${ready.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${ready.key}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: an answer of whatever shape is compared, never trusted
    return { status: response.status, body: (await response.json()) as any };
  };
}

test("a machine that loses power goes on with its hosted bake-off, and pays again only for what was in flight", {
  timeout: 180_000,
}, async () => {
  const { url, asked } = await slowUpstream();
  const cwd = gatewayFolder({
    providers: { up: { dialect: "openai", base_url: url, models } },
    routes: {
      "desk.echo": {
        candidates: [
          { provider: "up", model: "dear" },
          { provider: "up", model: "cheap" },
        ],
        variants: [{ name: "cheap", candidates: [{ provider: "up", model: "cheap" }] }],
      },
    },
  });
  const args = ["--db", join(cwd, "dev.db")];
  const first = await startDev(args, { cwd });
  closers.push(async () => first.child.exitCode ?? first.child.signalCode ?? first.stopGroup("SIGKILL"));
  expect(first.ready.url, first.stdout() + first.stderr()).toBeTypeOf("string");
  const ask = client(first);
  for (let index = 0; index < CASES; index += 1) {
    const input = { kind: "messages", request: { messages: [{ role: "user", content: `${index}` }] } };
    expect((await ask("POST", "/v1/eval-cases", { task: "desk.echo", input, expected: `${index}` })).status).toBe(201);
  }
  const started = await ask("POST", "/v1/bakeoffs/run/desk.echo", { seed: 3 });
  expect(started.status).toBe(202);
  await vi.waitFor(
    async () => {
      const { body } = await ask("GET", started.body.poll);
      expect(body.state).toBe("running");
      expect(body.done).toBeGreaterThan(10);
    },
    { timeout: 60_000, interval: 50 },
  );
  await first.stopGroup("SIGKILL");
  const before = asked.size;
  expect(before, "midway").toBeLessThan(2 * CASES);

  const second = await startDev(args, { cwd });
  closers.push(() => second.stop());
  const again = client(second);
  const report = await vi.waitFor(
    async () => {
      const { body } = await again("GET", started.body.poll);
      expect(body.schema, JSON.stringify(body)).toBe("modelrig.bakeoff/1");
      return body;
    },
    { timeout: 120_000, interval: 200 },
  );
  expect(report).toMatchObject({ partial: false, metric: "golden", seed: 3 });
  expect(report.arms.map((arm: Record<string, unknown>) => arm["sent"])).toEqual([CASES, CASES]);
  expect(asked.size).toBe(2 * CASES);
  const calls = [...asked.values()].reduce((sum, count) => sum + count);
  expect(calls - 2 * CASES, "four calls were in flight, and as many samples on their way").toBeLessThanOrEqual(8);
});
