import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import type { Capture } from "../../../src/capture/capture.ts";
import { type CaptureProxy, type CaptureProxyOptions, startCaptureProxy } from "../../../src/capture/proxy.ts";

type Handler = (incoming: IncomingMessage, body: string, outgoing: ServerResponse) => void;

let gateway: Server | undefined;
let proxy: CaptureProxy | undefined;

afterEach(async () => {
  await proxy?.close();
  gateway?.closeAllConnections();
  await new Promise((resolve) => (gateway ? gateway.close(resolve) : resolve(undefined)));
  gateway = proxy = undefined;
});

async function listenWith(handler: Handler, options: Partial<CaptureProxyOptions> = {}) {
  gateway = createServer((incoming, outgoing) => {
    let body = "";
    incoming.on("data", (chunk) => {
      body += String(chunk);
    });
    incoming.on("end", () => handler(incoming, body, outgoing));
  });
  await new Promise<void>((resolve) => gateway?.listen(0, "127.0.0.1", resolve));
  const kept: Capture[] = [];
  const warnings: string[] = [];
  let ids = 0;
  proxy = await startCaptureProxy({
    upstream: `http://127.0.0.1:${(gateway.address() as AddressInfo).port}/v1`,
    port: 0,
    mayCapture: async (route) => route.startsWith("open."),
    keep: (capture) => kept.push(capture),
    capabilitiesOf: (served) => (served === "sim/small" ? { native_strict: true } : undefined),
    warn: (message) => warnings.push(message),
    newId: () => `cap_${++ids}`,
    now: () => 1_700_000_000_000,
    ...options,
  });
  return { kept, warnings, url: `http://127.0.0.1:${proxy.port}`, settled: () => proxy?.settled() };
}

const SERVED = { "x-modelrig-inference-id": "inf_1", "x-modelrig-served": "sim/small" };

const post = (url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(url, {
    method: "POST",
    headers: { authorization: "Bearer rig_sk_secret", "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });

const chunk = (content: string): string =>
  `data: {"choices":[{"index":0,"delta":{"content":${JSON.stringify(content)}}}]}\n\n`;
const END = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';

describe("the capture proxy forwards", () => {
  it("method, path, query, headers and body as they are, and the answer back", async () => {
    const { url } = await listenWith((incoming, body, outgoing) => {
      outgoing.writeHead(207, { "x-answer": "yes", "set-cookie": ["a=1", "b=2"] });
      outgoing.end(
        JSON.stringify({
          method: incoming.method,
          url: incoming.url,
          auth: incoming.headers.authorization,
          own: incoming.headers["x-own"],
          body,
        }),
      );
    });
    const response = await post(`${url}/v1/anything?x=1`, { a: 1 }, { "x-own": "kept" });
    expect(response.status).toBe(207);
    expect(response.headers.get("x-answer")).toBe("yes");
    expect(response.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
    expect(await response.json()).toEqual({
      method: "POST",
      url: "/v1/anything?x=1",
      auth: "Bearer rig_sk_secret",
      own: "kept",
      body: '{"a":1}',
    });
  });

  it("a stream chunk by chunk, before the next one exists", async () => {
    let sendMore: (() => void) | undefined;
    const { url } = await listenWith((_incoming, _body, outgoing) => {
      outgoing.writeHead(200, { "content-type": "text/event-stream", ...SERVED });
      outgoing.write(chunk("first"));
      sendMore = () => outgoing.end(chunk(" second") + END);
    });
    const response = await post(`${url}/v1/chat/completions`, { model: "open.route", messages: [], stream: true });
    const reader = response.body!.getReader();
    const first = await reader.read();
    expect(new TextDecoder().decode(first.value)).toBe(chunk("first"));
    sendMore?.();
    let rest = "";
    for (let next = await reader.read(); !next.done; next = await reader.read())
      rest += new TextDecoder().decode(next.value);
    expect(rest).toBe(chunk(" second") + END);
  });

  it("a client's cancellation to the gateway", async () => {
    let closed: (() => void) | undefined;
    const upstreamClosed = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const { url, kept, settled } = await listenWith((_incoming, _body, outgoing) => {
      outgoing.on("close", () => closed?.());
      outgoing.writeHead(200, { "content-type": "text/event-stream", ...SERVED });
      outgoing.write(chunk("half"));
    });
    const abort = new AbortController();
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      body: JSON.stringify({ model: "open.route", messages: [], stream: true }),
      signal: abort.signal,
    });
    await response.body!.getReader().read();
    abort.abort();
    await upstreamClosed;
    await new Promise((resolve) => setTimeout(resolve, 20));
    await settled();
    expect(kept).toMatchObject([{ outcome: "canceled", output: undefined }]);
  });

  it("to a gateway that is not there as 502, with a sentence", async () => {
    const { url } = await listenWith(() => undefined, { upstream: "http://127.0.0.1:9" });
    const response = await post(`${url}/v1/chat/completions`, { model: "open.route", messages: [] });
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({ error: { code: "gateway_unreachable" } });
  });
});

describe("the capture proxy refuses", () => {
  const rawRequest = (url: string, headers: Record<string, string>): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      request(url, { headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .on("error", reject)
        .end();
    });

  for (const [kind, headers, status] of [
    ["a host name that is not this machine (DNS rebinding)", { host: "evil.example:8788" }, 403],
    ["a page of another site", { origin: "https://evil.example" }, 403],
    ["an opaque origin", { origin: "null" }, 403],
    ["nothing from a page on this machine", { origin: "http://localhost:3000" }, 200],
    ["nothing from localhost by name", { host: "localhost:8788" }, 200],
  ] as const) {
    it(kind, async () => {
      let reached = 0;
      const { url } = await listenWith((_incoming, _body, outgoing) => {
        reached += 1;
        outgoing.end("ok");
      });
      expect(await rawRequest(`${url}/v1/models`, headers)).toBe(status);
      expect(reached).toBe(status === 200 ? 1 : 0);
    });
  }
});

describe("the capture proxy captures", () => {
  const answer =
    (body: unknown, status = 200): Handler =>
    (_incoming, _body, outgoing) => {
      outgoing.writeHead(status, { "content-type": "application/json", ...SERVED }).end(JSON.stringify(body));
    };
  const RUN = { output: { a: 1 }, text: '{"a":1}', meta: {} };
  const CHAT = { choices: [{ index: 0, message: { role: "assistant", content: "hi" } }] };

  it("the variables, output, capability flags and ids of a run", async () => {
    const { url, kept, settled } = await listenWith(answer(RUN));
    await post(`${url}/v1/run/open.route`, { input: { text: "x" }, variant: "cheap", tags: { client: "acme" } });
    await settled();
    expect(kept).toEqual([
      {
        id: "cap_1",
        at: 1_700_000_000_000,
        route: "open.route",
        variant: "cheap",
        payload: { kind: "variables", variables: { text: "x" } },
        tags: { client: "acme" },
        inferenceId: "inf_1",
        output: '{"a":1}',
        outcome: "answered",
        served: "sim/small",
        capabilities: { native_strict: true },
      },
    ]);
  });

  it("every digit of an integer above 2^53", async () => {
    const { url, kept, settled } = await listenWith(answer(RUN));
    const headers = { "content-type": "application/json" };
    await fetch(`${url}/v1/run/open.route`, { method: "POST", headers, body: '{"input":{"id":2512292042121000001}}' });
    await settled();
    expect(JSON.stringify(kept)).toContain('"variables":{"id":2512292042121000001}');
  });

  it("the request of a chat call without model and stream fields", async () => {
    const { url, kept, settled } = await listenWith(answer(CHAT));
    await post(
      `${url}/v1/chat/completions`,
      { model: "open.route@cheap", messages: [{ role: "user", content: "q" }], temperature: 0.1, stream: false },
      { "x-modelrig-tags": "client=ac%20me" },
    );
    await settled();
    expect(kept).toMatchObject([
      {
        route: "open.route",
        variant: "cheap",
        payload: { kind: "messages", request: { messages: [{ role: "user", content: "q" }], temperature: 0.1 } },
        output: "hi",
        tags: { client: "ac me" },
      },
    ]);
    expect(JSON.stringify(kept)).not.toContain("rig_sk_secret");
  });

  it("the text of a stream, also when it comes in single bytes", async () => {
    const bytes = Buffer.from(chunk("Grüße ") + chunk("🚀") + END);
    const { url, kept, settled } = await listenWith((_incoming, _body, outgoing) => {
      outgoing.writeHead(200, { "content-type": "text/event-stream", ...SERVED });
      for (const byte of bytes) outgoing.write(Buffer.from([byte]));
      outgoing.end();
    });
    const response = await post(`${url}/v1/run/open.route`, { input: {}, stream: true });
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
    await settled();
    expect(kept).toMatchObject([{ output: "Grüße 🚀", outcome: "answered" }]);
  });

  it("a compressed answer, which the client still gets compressed", async () => {
    const packed = gzipSync(JSON.stringify(RUN));
    const { url, kept, settled } = await listenWith((_incoming, _body, outgoing) => {
      outgoing.writeHead(200, {
        "content-type": "application/json",
        "content-encoding": "gzip",
        "content-length": packed.length,
        ...SERVED,
      });
      outgoing.end(packed);
    });
    const response = await post(`${url}/v1/run/open.route`, { input: {} });
    expect(response.headers.get("content-encoding")).toBe("gzip");
    expect(await response.json()).toEqual(RUN);
    await settled();
    expect(kept).toMatchObject([{ output: RUN.text }]);
  });

  it("an input on which every candidate failed: a bake-off over successes only would flatter the incumbent", async () => {
    const failed = { error: { message: "no valid output", failure_class: "content_invalid" } };
    const { url, kept, settled } = await listenWith(answer(failed, 422));
    await post(`${url}/v1/run/open.route`, { input: { text: "hard" } });
    await settled();
    expect(kept).toMatchObject([
      { outcome: "content_invalid", output: undefined, payload: { variables: { text: "hard" } } },
    ]);
  });

  it("a stream that ended in an error as that failure", async () => {
    const { url, kept, settled } = await listenWith((_incoming, _body, outgoing) => {
      outgoing.writeHead(200, { "content-type": "text/event-stream", ...SERVED });
      outgoing.end(`${chunk("half")}data: {"error":{"message":"cut","failure_class":"network"}}\n\n`);
    });
    await (await post(`${url}/v1/run/open.route`, { input: {}, stream: true })).text();
    await settled();
    expect(kept).toMatchObject([{ outcome: "network", output: undefined }]);
  });

  for (const [kind, path, body, headers, reply] of [
    ["a route whose file does not allow it", "/v1/run/closed.route", { input: {} }, {}, answer(RUN)],
    ["a raw model", "/v1/chat/completions", { model: "openai/gpt", messages: [] }, {}, answer(CHAT)],
    ["the auto lane", "/v1/chat/completions", { model: "auto", messages: [] }, {}, answer(CHAT)],
    ["a replay, by header", "/v1/run/open.route", { input: {} }, { "x-modelrig-tags": "replay=bo_1" }, answer(RUN)],
    ["a replay, by tag", "/v1/run/open.route", { input: {}, tags: { lane: "replay:bo_1" } }, {}, answer(RUN)],
    ["other endpoints", "/v1/embeddings", { model: "open.route", input: "x" }, {}, answer({ data: [] })],
    [
      "a call refused for its key",
      "/v1/run/open.route",
      { input: {} },
      {},
      answer({ error: { failure_class: "auth" } }, 401),
    ],
    [
      "a call refused by a budget",
      "/v1/run/open.route",
      { input: {} },
      {},
      answer({ error: { failure_class: "budget_exhausted" } }, 402),
    ],
    ["an answer that is none of ours", "/v1/run/open.route", { input: {} }, {}, answer({ hello: 1 }, 500)],
  ] as const) {
    it(`nothing of ${kind}`, async () => {
      const { url, kept, warnings, settled } = await listenWith(reply);
      await post(`${url}${path}`, body, headers);
      await settled();
      expect(kept).toEqual([]);
      expect(warnings).toEqual([]);
    });
  }

  it("without failing the call when it cannot write, and says so once", async () => {
    const full = () => {
      throw new Error("disk full");
    };
    const { url, warnings, settled } = await listenWith(answer(RUN), { keep: full });
    for (let call = 0; call < 3; call += 1) {
      const response = await post(`${url}/v1/run/open.route`, { input: {} });
      expect(await response.json()).toEqual(RUN);
    }
    await settled();
    expect(warnings).toEqual(["a call was served but not captured: disk full"]);
  });
});

describe("the capture proxy reads every chat dialect", () => {
  const replayed = {
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "hi" },
    ],
    max_tokens: 50,
  };
  const messages = {
    model: "open.a",
    max_tokens: 50,
    system: "Be brief.",
    messages: [{ role: "user", content: "hi" }],
  };
  const responses = { model: "open.a", max_output_tokens: 50, instructions: "Be brief.", input: "hi" };
  const json = { "content-type": "application/json", ...SERVED };
  const sse = { "content-type": "text/event-stream", ...SERVED };
  const spoken = (...events: readonly { readonly type: string }[]) =>
    events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");

  const message = {
    type: "message",
    content: [
      { type: "thinking", thinking: "hm" },
      { type: "text", text: "hello" },
    ],
  };
  const response = {
    object: "response",
    output: [{ type: "message", content: [{ type: "output_text", text: "hello" }] }],
  };
  const messageEvents = [
    { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "hm" } },
    { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "hel" } },
    { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "lo" } },
  ];
  const responseEvents = [
    { type: "response.output_text.delta", delta: "hel" },
    { type: "response.output_text.delta", delta: "lo" },
  ];
  const failed = { type: "error", error: { type: "api_error", failure_class: "server_error" } };

  it.each([
    ["a message", "/v1/messages?beta=true", messages, json, JSON.stringify(message), "answered"],
    [
      "a streamed message",
      "/v1/messages",
      messages,
      sse,
      spoken(...messageEvents, { type: "message_stop" }),
      "answered",
    ],
    ["a message cut off", "/v1/messages", messages, sse, spoken(...messageEvents), "canceled"],
    ["a message that failed", "/v1/messages", messages, sse, spoken(...messageEvents, failed), "server_error"],
    ["a response", "/v1/responses", responses, json, JSON.stringify(response), "answered"],
    [
      "a streamed response",
      "/v1/responses",
      responses,
      sse,
      spoken(...responseEvents, { type: "response.completed" }),
      "answered",
    ],
    [
      "a response that failed",
      "/v1/responses",
      responses,
      sse,
      spoken(...responseEvents, { ...failed, failure_class: "server_error" } as { type: string }),
      "server_error",
    ],
  ])("%s: messages to replay, and the text that came", async (_what, path, body, headers, answer, outcome) => {
    const { url, kept, settled } = await listenWith((_incoming, _body, outgoing) => {
      outgoing.writeHead(200, headers);
      outgoing.end(answer);
    });
    expect(await (await post(`${url}${path}`, body)).text()).toBe(answer);
    await settled();
    expect(kept).toHaveLength(1);
    expect(kept[0]).toMatchObject({ route: "open.a", outcome, payload: { kind: "messages", request: replayed } });
    expect(kept[0]?.output).toBe(outcome === "answered" ? "hello" : undefined);
  });

  it("but not a count of tokens, which is no call", async () => {
    const { url, kept, settled } = await listenWith((_incoming, _body, outgoing) => {
      outgoing.writeHead(200, json);
      outgoing.end('{"input_tokens":3,"estimated":true}');
    });
    await post(`${url}/v1/messages/count_tokens`, messages);
    await settled();
    expect(kept).toEqual([]);
  });
});
