/** What people write, what models answer and what opens a provider's door stay out of everything the gateway keeps. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type DevGateway, startGateway } from "../support/hosts/dev-gateway.ts";
import {
  completion,
  json,
  type Reply,
  type ScriptedUpstream,
  startScriptedUpstream,
} from "../support/upstreams/scripted-upstream.ts";

const PROMPT = "canary-prompt-6f1d";
const OUTPUT = "canary-output-93ab";
const KEY = "sk-canary-key-0a7c44e19b";

let upstream: ScriptedUpstream;
let gateway: DevGateway;
beforeAll(async () => {
  upstream = await startScriptedUpstream();
  const price = { input_per_million: 1, output_per_million: 2 };
  const up = {
    ...{ dialect: "openai", base_url: upstream.baseUrl, api_key_env: "UP_API_KEY" },
    models: { m: { price, context_window: 100_000, max_output: 100, capabilities: { native_strict: true } } },
  };
  const schema = { type: "object", properties: { a: { type: "integer" } }, required: ["a"] };
  const candidates = [{ provider: "up", model: "m" }];
  const none = { content_invalid: 0, network: 0, capacity_shed: 0, server_error: 0 };
  gateway = await startGateway({
    providers: { up },
    routes: {
      "private.text": { candidates, retry: none, budget: { usd_per_day: 1 } },
      "private.json": { candidates, retry: none, output: { schema } },
    },
    env: { UP_API_KEY: KEY },
    args: ["--db", "kept.db"],
  });
});
afterAll(async () => {
  await gateway?.dev.stop();
  await upstream?.close();
});

/** An upstream that says back everything it was told, its key included. */
const tells =
  (status: number): Reply =>
  (response, request) =>
    json(status, {
      error: { message: `${request.headers["authorization"]} asked ${JSON.stringify(request.body["messages"])}` },
    })(response, request);

const cut: Reply = (response) => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const choices = [{ index: 0, delta: { content: OUTPUT }, finish_reason: null }];
  response.write(`data: ${JSON.stringify({ id: "c", choices })}\n\n`, () => response.destroy());
};

/** Every file below a folder. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}

test("prompts, answers and provider keys are in no file and no log, and no key reaches a client", async () => {
  const ways: readonly (readonly [string, Reply, boolean])[] = [
    ["private.text", completion(OUTPUT), false],
    ["private.text", completion(OUTPUT), true],
    ["private.json", completion(`{"a":"${OUTPUT}"}`), false],
    ["private.json", completion(`{"a":"${OUTPUT}"}`), true],
    ["private.text", tells(400), false],
    ["private.text", tells(401), false],
    ["private.text", tells(500), true],
    ["private.text", tells(200), false],
    ["private.text", (response) => void response.writeHead(502, { "content-type": "text/html" }).end(OUTPUT), false],
    ["private.text", cut, true],
  ];
  const answers: string[] = [];
  for (const [model, reply, stream] of ways) {
    upstream.script(reply);
    const response = await gateway.post({ model, stream, messages: [{ role: "user", content: PROMPT }] });
    answers.push([...response.headers.values()].join("\n") + (await response.text()));
  }
  expect(upstream.seen.some(({ headers }) => headers["authorization"] === `Bearer ${KEY}`)).toBe(true);
  expect(answers.join("\n")).toContain(OUTPUT);
  expect(answers.join("\n")).not.toContain(KEY);
  expect(await gateway.dev.stop()).toBe(0);

  const logs = gateway.dev.stdout() + gateway.dev.stderr();
  const files = filesIn(gateway.dev.cwd);
  expect(files.filter((file) => file.includes("kept.db")).length).toBeGreaterThan(1);
  const kept = files.map((file) => readFileSync(file).toString("latin1")).join("\n") + logs;
  // The record of the calls is there, and only their content is not.
  expect(kept).toContain("private.json");
  for (const canary of [PROMPT, OUTPUT, KEY]) expect(kept).not.toContain(canary);
});
