/** What clients hand back or ask a provider to keep, through a running `modelrig dev`, on routes with a budget. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type DevProcess, freshFolder, startDev } from "../support/hosts/dev-process.ts";
import { type DialectUpstream, startDialectUpstream } from "../support/upstreams/dialect-upstream.ts";

const PROVIDERS = { oai: "openai", res: "openai-responses", ant: "anthropic", gem: "gemini" } as const;
const MODELS = ["text", "think"] as const;

let upstream: DialectUpstream;
let dev: DevProcess;

beforeAll(async () => {
  upstream = await startDialectUpstream();
  const cwd = freshFolder();
  mkdirSync(join(cwd, "routes"));
  const price = "price: { input_per_million: 1, output_per_million: 2 }";
  const rows = Object.entries(PROVIDERS).map(([name, dialect]) => {
    for (const model of MODELS) {
      const route = `state.${name}_${model}`;
      const text = `route: ${route}\ncandidates:\n  - { provider: ${name}, model: ${model} }\nbudget: { usd_per_day: 100 }\n`;
      writeFileSync(join(cwd, "routes", `${route}.yaml`), text);
    }
    const models = MODELS.map((model) => `      ${model}: { max_output: 4096, ${price} }\n`).join("");
    return `  ${name}:\n    dialect: ${dialect}\n    base_url: ${upstream.url}\n    capabilities: { tools: true }\n    models:\n${models}`;
  });
  writeFileSync(join(cwd, "modelrig.yaml"), `providers:\n${rows.join("")}`);
  dev = await startDev([], { cwd });
});

afterAll(async () => {
  await dev?.stop();
  await upstream?.close();
});

async function post(path: string, body: Record<string, unknown>) {
  const headers = { authorization: `Bearer ${dev.ready.key}`, "content-type": "application/json" };
  const response = await fetch(`${dev.ready.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  const answer = (await response.json()) as { output?: unknown[]; error?: unknown };
  return { status: response.status, dropped: response.headers.get("x-modelrig-dropped"), answer };
}

test("signed thinking of Anthropic comes back from a Responses client on its next turn", async () => {
  const asked = { model: "state.ant_think", store: false };
  const first = { role: "user", content: "hi" };
  const { answer } = await post("/v1/responses", { ...asked, input: [first] });
  const input = [first, ...(answer.output ?? []), { role: "user", content: "more" }];
  expect((await post("/v1/responses", { ...asked, input })).status).toBe(200);
  expect(upstream.asked.at(-1)?.body.messages[1]).toEqual({
    role: "assistant",
    content: [
      { type: "thinking", thinking: "Which city?", signature: "c2lnbmVk" },
      { type: "text", text: "Oslo" },
    ],
  });
});

test("a thread is refused before anything is sent, by the code that makes the client do without", async () => {
  const before = upstream.asked.length;
  const body = { max_tokens: 99, messages: [{ role: "user", content: "x" }], thread: { type: "create" } };
  const { status, answer } = await post("/v1/messages", { model: "state.ant_text", ...body });
  expect(status).toBe(400);
  expect(answer.error).toMatchObject({
    details: { error_code: "thread_unsupported_request", unsupported: ["thread"] },
  });
  expect(upstream.asked.length).toBe(before);
});

describe("tools that run at the client", () => {
  const read = { type: "function", name: "read", parameters: { type: "object", properties: {} } };
  const tools = [
    { type: "namespace", name: "fs", description: "files", tools: [read] },
    { type: "shell", environment: { type: "local" } },
    { type: "custom", name: "patch", description: "changes a file" },
    { type: "tool_search" },
  ];

  test.each([
    ["oai", "tools[1], tools[3]"],
    ["ant", "tools[1], tools[3]"],
    ["gem", "tools[1], tools[3]"],
    ["res", null],
  ])("fit a budget onto %s: functions and custom tools arrive, the others are named (%s)", async (name, dropped) => {
    const answered = await post("/v1/responses", { model: `state.${name}_text`, input: "x", tools, store: false });
    expect(answered.status).toBe(200);
    expect(answered.dropped).toBe(dropped);
    const sent = JSON.stringify(upstream.asked.at(-1)?.body.tools);
    expect(sent).toContain(name === "res" ? '"name":"read"' : '"name":"fs__read"');
    expect(sent).toContain('"name":"patch"');
  });
});
