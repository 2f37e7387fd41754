/** The misbehaving upstream, asked by hand: each fault is what its name says, and the dialect sees it for what it is. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { classify } from "../../../src/failure/classify.ts";
import { answerText as textOf } from "../../../src/wire/chat.ts";
import type { WireTarget } from "../../../src/wire/dialect.ts";
import { decodeError } from "../../../src/wire/openai-chat/error.ts";
import { streamDecoder } from "../../../src/wire/openai-chat/events.ts";
import { decodeAnswer } from "../../../src/wire/openai-chat/response.ts";
import { answerText } from "../../support/engine/faults.ts";
import { type FaultyUpstream, startFaultyUpstream } from "../../support/upstreams/faulty-upstream.ts";
import { decodeStream } from "../../support/wire/decoded-stream.ts";

const TARGET: WireTarget = { provider: "openai", model: "m", quirks: {} };
const MESSAGES = [{ role: "user", content: "hello" }];

let upstream: FaultyUpstream;
beforeAll(async () => {
  upstream = await startFaultyUpstream();
});
afterAll(() => upstream.close());
beforeEach(() => upstream.reset());

function ask(scenario: string, body: object = {}, signal?: AbortSignal): Promise<Response> {
  return fetch(`${upstream.url}/${scenario}/v1/chat/completions`, {
    method: "POST",
    body: JSON.stringify({ model: "m", messages: MESSAGES, ...body }),
    ...(signal ? { signal } : {}),
  });
}

async function stream(scenario: string, body: object = {}) {
  const response = await ask(scenario, { stream: true, ...body });
  if (!response.body) throw new Error("no body");
  return decodeStream(response.body, streamDecoder(TARGET));
}

describe("whole answers", () => {
  it.each([
    ["ok:4", answerText(4), "stop"],
    ["echo", "hello", "stop"],
    ["say:%7B%22a%22%3A1%2C%22b%22%3A2%7D", '{"a":1,"b":2}', "stop"],
    ["length", answerText(3), "length"],
    ["gzip", answerText(3), "stop"],
    ["brotli", answerText(3), "stop"],
    ["tool", "", "tool-calls"],
    ["wrong-type", answerText(3), "stop"],
    ["slow:30", answerText(5), "stop"],
    ["no-prefill", answerText(5), "stop"],
  ])("%s", async (scenario, text, finish) => {
    const decoded = decodeAnswer(await (await ask(scenario)).json(), TARGET);
    if (!decoded.ok) throw new Error(decoded.error.message);
    const [choice] = decoded.value.choices;
    expect(choice && textOf(choice)).toBe(text);
    expect(choice?.finish.unified).toBe(finish);
  });

  it("flood is 10 MB", async () => {
    const decoded = decodeAnswer(await (await ask("flood")).json(), TARGET);
    expect(decoded.ok && decoded.value.choices[0] && textOf(decoded.value.choices[0]).length).toBe(10 * 1024 * 1024);
  });

  it("error-first is a failure inside HTTP 200", async () => {
    const response = await ask("error-first");
    expect(response.status).toBe(200);
    expect(decodeAnswer(await response.json(), TARGET)).toMatchObject({ ok: false, error: { class: "capacity_shed" } });
  });

  it.each(["lying-length", "cut-json", "empty"])("%s cannot be read as JSON", async (scenario) => {
    await expect(ask(scenario).then((response) => response.json())).rejects.toThrow();
  });

  it.each(["reset"])("%s breaks the connection", async (scenario) => {
    await expect(ask(scenario)).rejects.toThrow();
  });

  it.each([
    ["status:429:2", 429, "capacity_shed", 2_000],
    ["status:529", 529, "capacity_shed", undefined],
    ["status:503", 503, "capacity_shed", undefined],
    ["status:500", 500, "server_error", undefined],
    ["quota", 429, "quota_exhausted", undefined],
    ["context-length", 400, "bad_request", undefined],
    ["content-filter", 400, "content_filter", undefined],
    ["auth", 401, "auth", undefined],
    ["html", 502, "server_error", undefined],
    ["html:503", 503, "capacity_shed", undefined],
  ])("%s is %i, %s", async (scenario, status, failureClass, retryAfterMs) => {
    const response = await ask(scenario);
    const failure = classify(decodeError(response.status, response.headers, await response.text(), TARGET, Date.now()));
    expect(failure).toMatchObject({ class: failureClass, status });
    expect(failure.retryAfterMs).toBe(retryAfterMs);
  });

  it("no-prefill refuses a conversation that ends with the assistant", async () => {
    const response = await ask("no-prefill", { messages: [...MESSAGES, { role: "assistant", content: "{" }] });
    const failure = classify(decodeError(response.status, response.headers, await response.text(), TARGET, Date.now()));
    expect(failure).toMatchObject({ class: "bad_request", reason: "prefill_rejected" });
  });
});

describe("streams", () => {
  it.each([
    ["ok", answerText(5)],
    ["trickle:1", answerText(10)],
    ["no-done", answerText(5)],
    ["slow-first:30", answerText(5)],
    ["gzip", answerText(3)],
    ["brotli", answerText(3)],
    ["echo", "hello"],
  ])("%s ends well", async (scenario, text) => {
    const { answer, ended, failure } = await stream(scenario);
    expect(failure).toBeUndefined();
    expect(ended).toBe(true);
    expect(answer.choices[0] && textOf(answer.choices[0])).toBe(text);
  });

  it("usage comes where it was asked for", async () => {
    const asked = await stream("ok", { stream_options: { include_usage: true } });
    expect(asked.answer.usage).toMatchObject({ input: { total: 7 }, output: { total: 5 } });
    expect((await stream("ok")).answer.usage).toBeUndefined();
  });

  it("tool calls come in pieces", async () => {
    const { answer } = await stream("tool", { tools: [{ type: "function", function: { name: "weather" } }] });
    expect(answer.choices[0]?.content).toMatchObject([{ type: "tool-call", name: "weather", arguments: '{"q":1}' }]);
  });

  it.each([
    ["end-after:2", "network", answerText(2)],
    ["error-first", "capacity_shed", ""],
    ["error-after:2", "capacity_shed", answerText(2)],
    ["malformed-after:2", "network", answerText(2)],
  ])("%s ends in a failure of class %s, after what came", async (scenario, failureClass, text) => {
    const { answer, ended, failure } = await stream(scenario);
    expect(failure?.class).toBe(failureClass);
    expect(ended).toBe(false);
    expect(answer.choices[0] ? textOf(answer.choices[0]) : "").toBe(text);
  });

  it.each(["cut-after:2", "reset-after:2"])("%s breaks the connection", async (scenario) => {
    await expect(stream(scenario)).rejects.toThrow();
    expect(upstream.requests()[0]?.abortedAt).toBeUndefined();
  });

  it.each(["stall", "stall-after:2", "keepalive-after:1"])(
    "%s goes on until the client gives up, and the upstream notices",
    async (scenario) => {
      const controller = new AbortController();
      const asked = ask(scenario, { stream: true }, controller.signal)
        .then((response) => response.text())
        .catch((error: Error) => error.name);
      setTimeout(() => controller.abort(), 60);
      expect(await asked).toBe("AbortError");
      await expect.poll(() => upstream.requests(scenario)[0]?.abortedAt).toBeTypeOf("number");
    },
  );
});

describe("scenarios", () => {
  it("answer request after request as their list says, each user for itself", async () => {
    const statuses = async (scenario: string, times: number): Promise<number[]> => {
      const seen: number[] = [];
      for (let count = 0; count < times; count += 1) seen.push((await ask(scenario)).status);
      return seen;
    };
    expect(await statuses("status:500,status:429,ok", 4)).toEqual([500, 429, 200, 200]);
    expect(await statuses("status:500,ok@second", 2)).toEqual([500, 200]);
    expect(upstream.requests("status:500,ok@second").map(({ kind, path }) => [kind, path])).toEqual([
      ["status:500", "/v1/chat/completions"],
      ["ok", "/v1/chat/completions"],
    ]);
  });

  it("can be chosen by header, and are listed for other processes", async () => {
    const response = await fetch(`${upstream.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "x-fault": "status:503", authorization: "Bearer k" },
      body: JSON.stringify({ messages: MESSAGES }),
    });
    expect(response.status).toBe(503);
    const listed = (await (await fetch(`${upstream.url}/__requests?scenario=status:503`)).json()) as object[];
    expect(listed).toMatchObject([
      { scenario: "status:503", headers: { authorization: "Bearer k" }, body: { messages: MESSAGES } },
    ]);
    expect((await fetch(`${upstream.url}/__reset`, { method: "POST" })).status).toBe(204);
    expect(upstream.requests()).toEqual([]);
  });

  it("an unknown fault says which there are", async () => {
    const response = await ask("oops");
    expect(response.status).toBe(404);
    expect(await response.text()).toMatch(/no fault is named oops; there are ok, echo/);
  });
});
