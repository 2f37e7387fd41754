import { afterEach, describe, expect, inject, test } from "vitest";
import type { Seen } from "../../support/upstreams/behaving-upstream.ts";
import { ladder, openGateway, route, upstreamProvider, user } from "../gateway.ts";

const SCHEMA = { type: "object", properties: { a: { type: "integer" } }, required: ["a"] };
const none = { content_invalid: 0, network: 0, capacity_shed: 0, server_error: 0 };
const routes = [
  route("demo.failover", ["up/status-500", "up/echo"], { retry: none }),
  route("demo.cut-first", ["up/cut", "up/echo"], { retry: none }),
  route("demo.json", ["up/echo"], { output: { schema: SCHEMA, ladder }, retry: none }),
  route("demo.template", ["up/echo"], { template: { user: "Say {{ word }}" } }),
];
const patience = { firstTokenMs: 300, idleMs: 1_000, attemptMs: 1_000, callMs: 3_000, streamMs: 5_000 };
const shortPatience = [
  route("demo.slow-then-echo", ["up/silent", "up/echo"], { retry: none, timeouts: patience }),
  route("demo.silent", ["up/silent"], { retry: none, timeouts: patience }),
];
const gateway = openGateway({ routes, providers: [upstreamProvider("up", inject("upstreamUrl"))] });
afterEach(() => gateway.settled());

const stream = (model: string, content: string, more: Record<string, unknown> = {}, init: RequestInit = {}) =>
  gateway.chat({ model, messages: user(content), stream: true, ...more }, init);

async function seen(marker: string): Promise<Seen> {
  return await (await fetch(`${inject("upstreamUrl")}/seen?marker=${marker}`)).json();
}

/** Data lines of an SSE text; fails on anything that is not LF framed `data:` events. */
function events(text: string): string[] {
  expect(text).not.toContain("\r");
  return text
    .split("\n\n")
    .filter((block) => block !== "")
    .map((block) => {
      expect(block).toMatch(/^data: [^\n]*$/);
      return block.slice("data: ".length);
    });
}

const textOf = (lines: readonly string[]): string =>
  lines
    .filter((line) => line !== "[DONE]")
    .map(
      (line) =>
        (JSON.parse(line) as { choices?: { delta?: { content?: string } }[] }).choices?.[0]?.delta?.content ?? "",
    )
    .join("");

describe("a stream", () => {
  test("arrives whole, ends with [DONE], and names what served before it begins", async () => {
    const response = await stream("up/echo", "a text in pieces");
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    expect(response.headers.get("x-modelrig-served")).toBe("up/echo");
    expect(response.headers.has("x-modelrig-cost-usd")).toBe(false);
    const lines = events(await response.text());
    expect(textOf(lines)).toBe("a text in pieces");
    expect(lines.at(-1)).toBe("[DONE]");
  });

  test("fails over invisibly before its first content", async () => {
    const response = await stream("demo.failover", "second");
    expect(response.headers.get("x-modelrig-attempts")).toBe("2");
    expect(textOf(events(await response.text()))).toBe("second");
  });

  test("answers an ordinary error where no candidate began", async () => {
    const response = await stream("up/status-500", "x");
    expect(response.status).toBe(502);
    expect(response.headers.get("content-type")).toContain("application/json");
  });

  test("that is cut after content ends in an error event and never in [DONE]", async () => {
    const lines = events(await (await stream("up/cut", "x")).text());
    expect(textOf(lines.filter((line) => !line.includes('"error"')))).toBe("Hello");
    expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({ error: { failure_class: "network" } });
    expect(lines).not.toContain("[DONE]");
  });

  test("asked for as validated fails over even after content", async () => {
    const headers = { "x-modelrig-stream": "validated" };
    const response = await stream("demo.cut-first", "whole", {}, { headers });
    const lines = events(await response.text());
    expect(textOf(lines)).toBe("whole");
    expect(lines.at(-1)).toBe("[DONE]");
  });

  test("of a route with a schema ends in an error where the whole does not fit it", async () => {
    const good = events(await (await stream("demo.json", '{"a":1}')).text());
    expect(good.at(-1)).toBe("[DONE]");
    const bad = events(await (await stream("demo.json", '{"a":"one"}')).text());
    expect(JSON.parse(bad.at(-1) ?? "")).toMatchObject({ error: { failure_class: "content_invalid" } });
  });

  test("of a run has the shape of chat completion chunks", async () => {
    const response = await gateway.run("demo.template", { input: { word: "hello" }, stream: true });
    expect(textOf(events(await response.text()))).toBe("Say hello");
  });

  test("cancels the upstream when the reader leaves, and is recorded as canceled", async () => {
    const response = await stream("up/stall", "mark-stall");
    const reader = response.body?.getReader();
    const first = await reader?.read();
    expect(new TextDecoder().decode(first?.value)).toContain("Hel");
    await reader?.cancel();
    // Far below the silence after which the upstream would be left anyway.
    await expect.poll(async () => (await seen("mark-stall")).abandoned, { timeout: 20_000 }).toBe(1);
  });

  test("cancels an upstream that has not answered yet when the request is aborted", async () => {
    const leave = new AbortController();
    const pending = gateway.chat({ model: "up/silent", messages: user("mark-silent") }, { signal: leave.signal });
    await expect.poll(async () => (await seen("mark-silent")).requests.length, { timeout: 20_000 }).toBe(1);
    leave.abort();
    const outcome = await pending.then(
      (response) => response.status,
      () => "aborted" as const,
    );
    expect([499, "aborted"]).toContain(outcome);
    await expect.poll(async () => (await seen("mark-silent")).abandoned, { timeout: 20_000 }).toBe(1);
  });

  test("of thousands of pieces arrives in order, none lost and none doubled", async () => {
    const lines = events(await (await stream("up/many-5000", "x")).text());
    expect(textOf(lines)).toBe(Array.from({ length: 5_000 }, (_, index) => `${index} `).join(""));
  });
});

describe("keep-alives", () => {
  test("are comments between events during silence, only where asked for", async () => {
    const quiet = openGateway({
      providers: [upstreamProvider("up", inject("upstreamUrl"))],
      // Long enough for the first content to come before it, also on a busy machine.
      config: { keepAliveMs: 1_000 },
    });
    const response = await quiet.chat({ model: "up/stall", messages: user("x"), stream: true });
    const reader = response.body?.getReader();
    let text = "";
    while (!text.includes(": keep-alive")) text += new TextDecoder().decode((await reader?.read())?.value);
    expect(text).toMatch(/^(data: [^\n]*\n\n)+: keep-alive\n\n/);
    await reader?.cancel();
    await quiet.settled();
  });

  describe("before the first content", () => {
    const providers = [upstreamProvider("up", inject("upstreamUrl"))];
    const early = openGateway({ providers, routes: shortPatience, config: { keepAliveMs: 60 } });
    afterEach(() => early.settled());

    test("open the answer, which then streams as ever", async () => {
      const response = await early.chat({ model: "demo.slow-then-echo", messages: user("late"), stream: true });
      expect(response.headers.get("content-type")).toContain("text/event-stream");
      const [comments, rest = ""] = splitComments(await response.text());
      expect(comments).toBeGreaterThan(0);
      expect(textOf(events(rest))).toBe("late");
      expect(events(rest).at(-1)).toBe("[DONE]");
    });

    test("turn a later failure into an error event under the 200", async () => {
      const response = await early.chat({ model: "demo.silent", messages: user("x"), stream: true });
      expect(response.status).toBe(200);
      const [comments, rest = ""] = splitComments(await response.text());
      expect(comments).toBeGreaterThan(0);
      const [only = ""] = events(rest);
      expect(JSON.parse(only)).toMatchObject({ error: { failure_class: "network", inference_id: expect.any(String) } });
      expect(rest).not.toContain("[DONE]");
    });

    test("leave a failure that comes before the silence is long as an ordinary error", async () => {
      const patient = openGateway({ providers, config: { keepAliveMs: 20_000 } });
      const response = await patient.chat({ model: "up/status-500", messages: user("x"), stream: true });
      expect(response.status).toBe(502);
      expect(response.headers.get("content-type")).toContain("application/json");
      await patient.settled();
    });
  });
});

/** How many keep-alive comments a stream opens with, and what follows them. */
function splitComments(text: string): [number, string] {
  const [comments = ""] = /^(: keep-alive\n\n)*/.exec(text) ?? [];
  return [comments.length / ": keep-alive\n\n".length, text.slice(comments.length)];
}
