/** Clients that continue their answers by id, by their defaults, through a running `modelrig dev` onto every dialect. */
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, jsonSchema, type ModelMessage, stepCountIs, streamText, tool } from "ai";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type DevProcess, freshFolder, startDev } from "../support/hosts/dev-process.ts";
import { type DialectUpstream, startDialectUpstream } from "../support/upstreams/dialect-upstream.ts";

const PROVIDERS = { oai: "openai", res: "openai-responses", ant: "anthropic", gem: "gemini" } as const;
const NAMES = Object.keys(PROVIDERS);
const REPLY = "Grüße aus Oslo 🙂";

let upstream: DialectUpstream;
let dev: DevProcess;
const cwd = freshFolder();

beforeAll(async () => {
  upstream = await startDialectUpstream();
  mkdirSync(join(cwd, "routes"));
  const rows = Object.entries(PROVIDERS).map(([name, dialect]) => {
    const models = ["text", "steps"].map((model) => {
      const route = `kept.${name}_${model}`;
      const text = `route: ${route}\ncandidates:\n  - { provider: ${name}, model: ${model} }\nbudget: { usd_per_day: 100 }\n`;
      writeFileSync(join(cwd, "routes", `${route}.yaml`), text);
      return `      ${model}: { max_output: 4096, price: { input_per_million: 1, output_per_million: 2 } }\n`;
    });
    return `  ${name}:\n    dialect: ${dialect}\n    base_url: ${upstream.url}\n    capabilities: { tools: true }\n    models:\n${models.join("")}`;
  });
  writeFileSync(join(cwd, "modelrig.yaml"), `responses_store: { ttl: 1h }\nproviders:\n${rows.join("")}`);
  dev = await startDev([], { cwd });
  const headers = { authorization: `Bearer ${dev.ready.key}`, "content-type": "application/json" };
  const body = JSON.stringify({ custody: "content", artifact_max_bytes: 1_024, retention_days: null });
  const response = await fetch(`${dev.ready.url}/v1/settings`, { method: "PUT", headers, body });
  expect(response.status).toBe(200);
});

afterAll(async () => {
  await dev?.stop();
  await upstream?.close();
});

const client = () => new OpenAI({ baseURL: `${dev.ready.url}/v1`, apiKey: dev.ready.key, maxRetries: 0 });
const aiModel = (model: string) =>
  createOpenAI({ baseURL: `${dev.ready.url}/v1`, apiKey: dev.ready.key }).responses(model);

describe.each(NAMES)("onto %s", (name) => {
  test("the official client continues, retrieves, lists and deletes", async () => {
    const openai = client();
    const model = `kept.${name}_text`;
    const first = await openai.responses.create({ model, input: "my name is Ada" });
    const second = await openai.responses.create({ model, input: "what is it?", previous_response_id: first.id });
    expect(second.output_text).toBe(REPLY);
    expect(JSON.stringify(upstream.asked.at(-1)?.body)).toContain("my name is Ada");
    expect(await openai.responses.retrieve(second.id)).toMatchObject({ id: second.id, previous_response_id: first.id });
    const roles: unknown[] = [];
    for await (const item of openai.responses.inputItems.list(second.id, { order: "asc", limit: 2 }))
      roles.push("role" in item ? item.role : item.type);
    expect(roles).toEqual(["user", "assistant", "user"]);
    await openai.responses.delete(second.id);
    await expect(openai.responses.retrieve(second.id)).rejects.toMatchObject({ status: 404 });
  });

  test.each(["generateText", "streamText"] as const)("three steps of %s, by the AI SDK's defaults", async (how) => {
    const places: string[] = [];
    const asked = {
      model: aiModel(`kept.${name}_steps`),
      prompt: "compare",
      maxRetries: 0,
      stopWhen: stepCountIs(4),
      tools: {
        weather: tool({
          inputSchema: jsonSchema<{ place: string }>({ type: "object", properties: { place: { type: "string" } } }),
          execute: async ({ place }) => {
            places.push(place);
            return "mild";
          },
        }),
      },
    };
    const text = how === "generateText" ? (await generateText(asked)).text : await streamText(asked).text;
    expect([places, text]).toEqual([["Oslo", "Rome"], "Both are mild."]);
  });

  test("a conversation of the AI SDK refers to its earlier turns", async () => {
    const model = aiModel(`kept.${name}_text`);
    const messages: ModelMessage[] = [{ role: "user", content: "my name is Ada" }];
    const first = await generateText({ model, messages, maxRetries: 0 });
    messages.push(...first.response.messages, { role: "user", content: "what is it?" });
    expect((await generateText({ model, messages, maxRetries: 0 })).text).toBe(REPLY);
    const sent = JSON.stringify(upstream.asked.at(-1)?.body);
    for (const text of ["my name is Ada", REPLY, "what is it?"]) expect(sent).toContain(text);
    expect(sent).not.toContain("item_reference");
  });
});

test("what is kept outlives a restart, sealed under a key that only the user may read", async () => {
  const kept = await client().responses.create({ model: "kept.oai_text", input: "remember this" });
  await dev.stop();
  const keyFile = join(cwd, ".modelrig", "store-key");
  expect(statSync(keyFile).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(cwd, ".modelrig", "dev.db")).includes("remember this")).toBe(false);
  dev = await startDev([], { cwd });
  expect((await client().responses.retrieve(kept.id)).output_text).toBe(REPLY);
});
