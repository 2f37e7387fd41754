/** What an upstream sends is read by what it is, and a refusal reaches the caller as one. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { CallPolicy } from "../../../src/call/call.ts";
import { readAll, type TestEngine, testEngine, textFrom } from "../../support/engine/engine.ts";
import {
  json,
  type Reply,
  type ScriptedUpstream,
  startScriptedUpstream,
  USAGE,
} from "../../support/upstreams/scripted-upstream.ts";

let upstreams: readonly [ScriptedUpstream, ScriptedUpstream];
let engine: TestEngine;
beforeAll(async () => {
  upstreams = [await startScriptedUpstream(), await startScriptedUpstream()];
});
afterAll(() => Promise.all(upstreams.map((upstream) => upstream.close())));
beforeEach(() => {
  engine = testEngine(upstreams.map(({ baseUrl }, index) => ({ name: index === 0 ? "first" : "second", baseUrl })));
  for (const { seen } of upstreams) seen.length = 0;
});

const body = (content: string, finish_reason = "stop", more: object = {}) => ({
  id: "c",
  choices: [{ index: 0, message: { role: "assistant", content, ...more }, finish_reason }],
  usage: USAGE,
});
const events = (content: string, finish_reason = "stop") =>
  [
    JSON.stringify({ id: "c", choices: [{ index: 0, delta: { role: "assistant", content }, finish_reason: null }] }),
    JSON.stringify({ id: "c", choices: [{ index: 0, delta: {}, finish_reason }], usage: USAGE }),
    "[DONE]",
  ]
    .map((data) => `data: ${data}\n\n`)
    .join("");
const labelled =
  (type: string | undefined, text: string): Reply =>
  (response) => {
    response.writeHead(200, type === undefined ? {} : { "content-type": type }).end(text);
  };
const asked = () => upstreams.map(({ seen }) => seen.length);
const usage = { input: { total: 11 }, output: { total: 7 } };

describe("a body is read by what it is", () => {
  it.each([
    ["an event stream labelled as text", true, labelled("text/plain", events("hi"))],
    ["an event stream labelled as JSON", true, labelled("application/json", events("hi"))],
    ["an event stream without a label", true, labelled(undefined, events("hi"))],
    ["an event stream after blank lines", true, labelled("application/json", `\n\n  \n${events("hi")}`)],
    ["JSON where a stream was asked for", true, json(200, body("hi"))],
    ["JSON labelled as an event stream", true, labelled("text/event-stream", JSON.stringify(body("hi")))],
    ["a stream nobody asked for", false, labelled("text/event-stream", events("hi"))],
    ["a stream nobody asked for, labelled as JSON", false, labelled("application/json", events("hi"))],
    ["JSON labelled as text", false, labelled("text/plain", JSON.stringify(body("hi")))],
  ])("%s", async (_what, stream, reply) => {
    upstreams[0].script(reply);
    const result = await engine.call({ stream });
    expect(await textFrom(result)).toBe("hi");
    expect(asked()).toEqual([1, 0]);
    expect(engine.recorded[0]?.attempts[0]).toMatchObject({ finish: { unified: "stop" }, usage });
    expect(engine.recorded[0]?.cost).toBe(11_000 + 14_000);
  });

  it.each([
    ["an error", json(200, { error: { message: "No.", code: "insufficient_quota" } }), "quota_exhausted"],
    ["a page", labelled("text/html", "<!doctype html><title>Hello</title>"), "network"],
    ["text", labelled("text/plain", "hello"), "network"],
    ["nothing", labelled("application/json", ""), "network"],
  ])("and where it is %s, streamed or not, that is told", async (_what, reply, failureClass) => {
    for (const stream of [true, false]) {
      upstreams[0].script(reply);
      upstreams[1].script(stream ? labelled("text/event-stream", events("hi")) : json(200, body("hi")));
      expect(await textFrom(await engine.call({ stream }))).toBe("hi");
      expect(engine.recorded.at(-1)?.attempts[0]?.failure?.class).toBe(failureClass);
    }
  });

  it.each([true, false])("a body with more members than any API has is not parsed (stream %s)", async (stream) => {
    const crowd = Object.fromEntries(Array.from({ length: 60_000 }, (_, at) => [`k${at}`, at]));
    upstreams[0].script(json(200, { ...body("lost"), crowd }));
    upstreams[1].script(stream ? labelled("text/event-stream", events("hi")) : json(200, body("hi")));
    expect(await textFrom(await engine.call({ stream }))).toBe("hi");
    expect(asked()).toEqual([1, 1]);
    const [attempt] = engine.recorded[0]?.attempts ?? [];
    expect(attempt?.failure?.message).toContain("more than 50000 members");
    // It was generated, so it is owed, and its bill is not known.
    expect(attempt?.cost).toBeUndefined();
  });

  it.each([true, false])("a page is not asked for again and opens no breaker (stream %s)", async (stream) => {
    upstreams[0].script(labelled("text/html", "<html></html>"));
    await engine.call({ stream });
    expect(asked()).toEqual([1, 1]);
    expect(engine.reports[0]).toEqual({ candidate: "first/m", outcome: "neutral", trip: false });
  });
});

describe("an error line in a stream", () => {
  it.each([
    ["of text", "error: model overloaded\n\n", { class: "server_error", message: "model overloaded" }],
    [
      "of JSON",
      `error: {"message":"Too many.","code":"rate_limit_exceeded"}\n\n`,
      { class: "capacity_shed", message: "Too many." },
    ],
    ["as an event of text", "event: error\ndata: gone\n\n", { class: "server_error", message: "gone" }],
  ])("%s says why", async (_what, text, failure) => {
    upstreams[0].script(labelled("text/event-stream", text));
    upstreams[1].script(labelled("text/event-stream", events("hi")));
    await textFrom(await engine.call({ stream: true }));
    expect(engine.recorded[0]?.attempts[0]?.failure).toMatchObject(failure);
  });
});

describe("an upstream's word on asking again", () => {
  it.each([
    ["x-should-retry: false ends the retries", { "x-should-retry": "false" }, 1],
    ["x-should-retry: true changes nothing", { "x-should-retry": "true" }, 2],
  ])("%s", async (_what, headers, times) => {
    upstreams[0].script(json(500, { error: { message: "No." } }, headers));
    upstreams[1].script(json(200, body("hi")));
    await engine.call();
    expect(asked()).toEqual([times, 1]);
  });
});

describe("a model that its provider does not know", () => {
  const unknown = json(404, { error: { message: "The model `m` does not exist", code: "model_not_found" } });

  it("sends the call to the next candidate", async () => {
    upstreams[0].script(unknown);
    upstreams[1].script(json(200, body("hi")));
    expect(await textFrom(await engine.call())).toBe("hi");
    expect(asked()).toEqual([1, 1]);
  });

  it("is the caller's to see where there is no other", async () => {
    upstreams[0].script(unknown);
    upstreams[1].script(unknown);
    expect(await engine.call()).toMatchObject({ type: "failure", failure: { reason: "model_not_found" } });
  });
});

describe("a refusal that came as an answer", () => {
  const refusing = (stream: boolean) =>
    stream ? labelled("text/event-stream", events("I", "content_filter")) : json(200, body("I", "content_filter"));

  it.each([true, false])("is the answer, and its class is recorded (stream %s)", async (stream) => {
    upstreams[0].script(refusing(stream));
    const result = await engine.call({ stream });
    expect(result.type).toBe(stream ? "stream" : "answer");
    if (result.type === "stream") {
      const frames = await readAll(result.frames);
      expect(frames.flatMap(({ events: all }) => all).at(-1)).toEqual({ type: "end" });
    }
    expect(engine.recorded[0]).toMatchObject({ failure: { class: "content_filter" }, served: { provider: "first" } });
    expect(asked()).toEqual([1, 0]);
    expect(engine.recorded[0]?.cost).toBe(11_000 + 14_000);
  });

  it("in `message.refusal` is one as well", async () => {
    upstreams[0].script(json(200, { ...body("", "stop", { content: null, refusal: "No." }) }));
    expect(await engine.call()).toMatchObject({
      type: "answer",
      answer: { choices: [{ content: [{ type: "refusal", text: "No." }] }] },
      inference: { failure: { class: "content_filter" } },
    });
  });

  it("is a failure where a schema governs", async () => {
    upstreams[0].script(refusing(false));
    const output: CallPolicy["output"] = { schema: { type: "object" }, name: "o", ladder: ["coached"] };
    expect(await engine.call({ policy: { output } })).toMatchObject({
      type: "failure",
      failure: { class: "content_filter" },
    });
  });

  it.each([
    ["the next candidate's answer is served", json(200, body("hi")), "hi"],
    ["the refusal is served where the next fails", json(500, { error: { message: "No." } }), "I"],
  ])("with on_content_filter: next %s", async (_what, second, text) => {
    upstreams[0].script(refusing(false));
    upstreams[1].script(second);
    const result = await engine.call({ policy: { onContentFilter: "next" } });
    expect(await textFrom(result)).toBe(text);
    expect(engine.recorded).toHaveLength(1);
    expect(engine.recorded[0]?.served?.provider).toBe(text === "hi" ? "second" : "first");
  });
});
