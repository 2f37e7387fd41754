/**
 * Every recorded exchange through the real Worker: an upstream repeats the recorded bytes, a client asks in its own
 * dialect, and content, calls, usage, cost, class, envelope and telemetry row are held against what was recorded.
 */
import { afterAll, describe, expect, inject, test } from "vitest";
import { nanoToUsdText, nanoUsd, usdToNano } from "../../../src/money/nano-usd.ts";
import { openStore } from "../../../src/store/store.ts";
import { openGateway, route, upstreamProvider, user } from "../../edge/gateway.ts";
import type { RecordedCall } from "../../support/wire/recorded-call.ts";

// biome-ignore lint/suspicious/noExplicitAny: bodies of three APIs are read without types
type Json = any;

const recorded = inject("recordedCalls");
if (recorded.length === 0) console.warn("skipped: recorded traffic needs the corpus (set MODELRIG_CORPUS)");

const ONCE = { content_invalid: 0, network: 0, capacity_shed: 0, server_error: 0 };
const CLIENTS = ["openai-chat", "anthropic-messages", "openai-responses"] as const;
type Client = (typeof CLIENTS)[number];
const nameOf = (client: Client, index: number) => `${client.split("-").join("")}.n${index}`;
/** A provider of its own for every call: a refused key opens the breaker of its provider. */
const providerOf = (client: Client, index: number) => `${client}-${index}`;
const all = CLIENTS.flatMap((client) => recorded.map((call, index) => ({ client, index, call })));
const gateway = openGateway({
  providers: all.map(({ client, index, call: { baseUrl, dialect } }) =>
    upstreamProvider(providerOf(client, index), baseUrl, { dialect }),
  ),
  routes: all.map(({ client, index }) =>
    route(nameOf(client, index), [`${providerOf(client, index)}/m-1`], {
      retry: ONCE,
      budget: { perDay: usdToNano("5") },
    }),
  ),
});
afterAll(() => gateway.settled());

interface Told {
  text: string;
  calls: { name: string; arguments: string }[];
  failed: boolean;
}

const asks = {
  "openai-chat": {
    path: "/v1/chat/completions",
    body: { messages: user("x"), stream_options: { include_usage: true } },
  },
  "anthropic-messages": { path: "/v1/messages", body: { messages: user("x"), max_tokens: 900 } },
  "openai-responses": { path: "/v1/responses", body: { input: "x" } },
} as const;
function events(text: string): Json[] {
  return [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data = ""]) => JSON.parse(data));
}

function readChat(text: string, stream: boolean): Told {
  const told: Told = { text: "", calls: [], failed: false };
  if (!stream) {
    const [choice] = JSON.parse(text).choices ?? [];
    told.text = choice?.message.content ?? "";
    told.calls = (choice?.message.tool_calls ?? []).map(calledIn);
    const legacy = choice?.message.function_call;
    if (legacy) told.calls.push({ name: legacy.name, arguments: legacy.arguments });
    return told;
  }
  for (const { choices: [choice] = [], error } of events(text)) {
    if (error) told.failed = true;
    if (choice?.index !== 0) continue;
    told.text += choice.delta?.content ?? "";
    for (const call of choice.delta?.tool_calls ?? []) {
      const open = told.calls[call.index] ?? { name: "", arguments: "" };
      told.calls[call.index] = open;
      open.name += calledIn(call).name ?? "";
      open.arguments += calledIn(call).arguments ?? "";
    }
  }
  return told;
}

function calledIn(call: Json): { name: string; arguments: string } {
  return call.custom
    ? { name: call.custom.name, arguments: call.custom.input }
    : { name: call.function?.name, arguments: call.function?.arguments };
}

function readMessages(text: string, stream: boolean): Told {
  const told: Told = { text: "", calls: [], failed: false };
  const blocks: Json[] = stream ? [] : (JSON.parse(text).content ?? []);
  if (stream) {
    for (const { type, index, content_block, delta } of events(text)) {
      if (type === "error") told.failed = true;
      if (type === "content_block_start") blocks[index] = { ...content_block, json: "" };
      if (delta?.type === "text_delta") blocks[index].text += delta.text;
      if (delta?.type === "input_json_delta") blocks[index].json += delta.partial_json;
    }
  }
  for (const block of blocks.filter((each) => each)) {
    if (block.type === "text") told.text += block.text;
    if (block.type === "tool_use")
      told.calls.push({ name: block.name, arguments: block.json || JSON.stringify(block.input) });
  }
  return told;
}

function readResponses(text: string, stream: boolean): Told {
  const told: Told = { text: "", calls: [], failed: false };
  const all = stream ? events(text) : [];
  told.failed = all.some(({ type }) => type === "response.failed" || type === "error");
  const last = all.findLast(({ type }) => /^response\.(completed|incomplete)$/.test(type));
  const items = all.flatMap(({ type, item }) => (type === "response.output_item.done" ? [item] : []));
  const output: Json[] = stream ? (items.length > 0 ? items : (last?.response.output ?? [])) : JSON.parse(text).output;
  for (const item of output ?? []) {
    if (item.type === "message")
      for (const part of item.content) if (part.type === "output_text") told.text += part.text;
    if (item.type === "function_call" || item.type === "custom_tool_call")
      told.calls.push({ name: item.name, arguments: item.arguments ?? item.input });
  }
  return told;
}

const readers = { "openai-chat": readChat, "anthropic-messages": readMessages, "openai-responses": readResponses };

const value = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
};

async function rowOf(run: string) {
  await gateway.settled();
  const store = openStore({ url: inject("databaseUrl"), authToken: inject("databaseToken") });
  const { inferences } = store.forOrg(inject("org"));
  const [row] = await inferences.list({ run, limit: 2 }, undefined);
  return row && (await inferences.get(row.id, undefined));
}

/** Nano-dollars at 1 and 2 dollars per million tokens, or what the provider says it charged. */
function costOf({ input, output, reportedUsd, unpriced }: RecordedCall): number | undefined {
  if (unpriced) return undefined;
  if (reportedUsd !== undefined && reportedUsd > 0) return Math.round(reportedUsd * 1e9);
  return input === undefined || output === undefined ? undefined : input * 1_000 + output * 2_000;
}

describe.each(CLIENTS)("recorded traffic for a client of %s", (client) => {
  test.each(recorded.map((call, index) => [call.key, index, call] as const))("%s", async (key, index, call) => {
    const run = `${client}-${index}`;
    const { path, body } = asks[client];
    const response = await gateway.fetch(path, {
      method: "POST",
      headers: { "x-modelrig-run": run },
      body: JSON.stringify({ ...body, model: nameOf(client, index), stream: call.stream }),
    });
    const text = await response.text();
    const row = await rowOf(run);
    expect(row, "a telemetry row").toBeDefined();
    expect(row?.inference.failureClass ?? undefined).toBe(call.failureClass);

    const streams = (response.headers.get("content-type") ?? "").includes("event-stream");
    if (call.failureClass !== undefined && !call.refused) {
      if (streams) expect(readers[client](text, true).failed, text.slice(-400)).toBe(true);
      else expect(response.status).toBeGreaterThanOrEqual(400);
      return;
    }
    expect(response.status, text.slice(0, 300)).toBe(200);
    const told = readers[client](text, streams);
    expect(told.failed).toBe(false);
    if (!TEXT_APART.has(key)) expect(told.text).toBe(call.text);
    expect(told.calls.map(({ name }) => name)).toEqual(call.calls.map(({ name }) => name));
    expect(told.calls.map((each) => value(each.arguments))).toEqual(call.calls.map((each) => value(each.arguments)));
    if (call.input !== undefined) expect(row?.inference.inputTokens).toBe(call.input);
    if (call.output !== undefined) expect(row?.inference.outputTokens).toBe(call.output);
    if (call.unpriced) expect(row?.inference.costNano, "a price is unknown here").toBeNull();
    const cost = costOf(call);
    if (cost !== undefined && !PRICED_APART.has(key)) {
      expect(row?.inference.costNano).toBe(cost);
      if (!streams)
        expect(response.headers.get("x-modelrig-cost-usd")).toBe(nanoToUsdText(usdToNano(String(cost / 1e9))));
    }
  });
});

/** A recording whose deltas and whole items differ. */
const TEXT_APART: ReadonlySet<string> = new Set(["openai/oai-resp-phase"]);
/** Recordings with searches, which this test's prices do not know, or with implausible bills. */
const PRICED_APART: ReadonlySet<string> = new Set([
  // The provider's bill is far below what these prices come to: priced by rule, not by the bill.
  "openai-compatible/openrouter-resp-raw-cot",
  "openai-compatible/compat-xai-tool-stream#1",
]);

test.skipIf(recorded.length === 0)("every envelope holds what telemetry says was spent", async () => {
  await gateway.settled();
  const response = await gateway.fetch("/v1/envelopes");
  const { envelopes }: { envelopes: { id: string; spent_usd: string; reserved_usd: string }[] } = await response.json();
  const spent = new Map(envelopes.map((each) => [each.id, each]));
  for (const { client, index } of all) {
    const [id] = [...spent.keys()].filter((each) => each.split(":").includes(nameOf(client, index)));
    const row = await rowOf(`${client}-${index}`);
    const cost = row?.inference.costNano;
    if (id === undefined || cost === undefined || cost === null) continue;
    expect([nameOf(client, index), spent.get(id)?.spent_usd]).toEqual([
      nameOf(client, index),
      nanoToUsdText(nanoUsd(cost)),
    ]);
    expect(spent.get(id)?.reserved_usd).toBe(nanoToUsdText(nanoUsd(0)));
  }
});
