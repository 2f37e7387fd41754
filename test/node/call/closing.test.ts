import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { EnvelopeClaim } from "../../../src/envelope/envelope.ts";
import { nanoUsd } from "../../../src/money/nano-usd.ts";
import { candidate, readAll, testEngine } from "../../support/engine/engine.ts";
import { type FaultyUpstream, startFaultyUpstream } from "../../support/upstreams/faulty-upstream.ts";

const CLAIM: EnvelopeClaim = { scope: "route-day", id: "route-day:test.route:2026-11-29", limit: nanoUsd(1e12) };
const budget = { claims: [CLAIM] };
const NO_RETRY = { network: 0, content_invalid: 0, capacity_shed: 0, server_error: 0 };
const policy = { candidates: [candidate("a", { params: { max_tokens: 50 } })], retry: NO_RETRY };

let upstream: FaultyUpstream;
beforeAll(async () => {
  upstream = await startFaultyUpstream();
});
afterAll(() => upstream.close());

let scenarios = 0;
const engineOn = (kind: string) =>
  testEngine([{ name: "a", baseUrl: `${upstream.url}/${kind}@c${scenarios++}/v1`, apiKeyEnv: "PRESENT_KEY" }]);
const closings = (engine: ReturnType<typeof testEngine>) =>
  [...engine.reservations.values()].map(({ actual }) => actual);

describe("a fault of the gateway's own code", () => {
  /** Sends, then fails where the answer is looked at. */
  const sendsAndBreaks = async (url: string, init: RequestInit): Promise<Response> => {
    await fetch(url, init);
    return { ok: true, status: 200, body: undefined } as unknown as Response;
  };

  it.each([false, true])(
    "counts what was sent, and records the call, before it rejects (stream: %s)",
    async (stream) => {
      const engine = engineOn("ok");
      await expect(engine.call({ budget, policy, stream, ports: { fetch: sendsAndBreaks } })).rejects.toThrow(
        TypeError,
      );
      expect(closings(engine)).toEqual(["unknown"]);
      expect(engine.recorded).toMatchObject([
        {
          failure: { class: "server_error", code: "internal_error" },
          cost: undefined,
          attempts: [{ cost: undefined }],
        },
      ]);
    },
  );

  it("hands the reservation back where nothing was sent", async () => {
    const engine = engineOn("ok");
    await expect(engine.call({ budget, policy, ports: { secret: () => "not a\nheader" } })).rejects.toThrow(TypeError);
    expect(closings(engine)).toEqual(["released"]);
    expect(engine.recorded).toMatchObject([{ failure: { code: "internal_error" }, cost: 0 }]);
  });
});

describe("what is held in memory", () => {
  it("is bounded for a validated stream as for a whole answer", async () => {
    const engine = engineOn(`flood:${40 * 1024 * 1024}`);
    const result = await engine.call({ budget, policy: { ...policy, stream: "validated" }, stream: true });
    expect(result).toMatchObject({ type: "failure", failure: { class: "network", reason: "malformed_response" } });
    expect(closings(engine)).toEqual(["unknown"]);
    expect(engine.recorded).toHaveLength(1);
  });
});

describe("a fast upstream", () => {
  const endless = (chunk: string, type: string) => async (): Promise<Response> => {
    const bytes = new TextEncoder().encode(chunk);
    // Every read resolves at once, so that no timer gets a turn by itself.
    const body = new ReadableStream<Uint8Array>({ pull: (controller) => controller.enqueue(bytes) });
    return new Response(body, { headers: { "content-type": type } });
  };
  const timeouts = { attemptMs: 50, callMs: 50, idleMs: 50, streamMs: 50, firstTokenMs: 50 };

  it.each([
    ["blanks in place of an answer", false, " ".repeat(64), "application/json"],
    ["comments in place of events", true, ": keep\n\n", "text/event-stream"],
  ])("cannot keep a deadline from passing with %s", async (_what, stream, chunk, type) => {
    const engine = engineOn("ok");
    const ports = { fetch: endless(chunk, type) };
    const result = await engine.call({ budget, policy: { ...policy, timeouts }, stream, ports });
    expect(result).toMatchObject({ type: "failure", failure: { class: "network", reason: "timeout" } });
    expect(closings(engine)).toEqual(["unknown"]);
  });

  it("cannot keep a client's leaving from being seen", async () => {
    const engine = engineOn("ok");
    const client = new AbortController();
    const ports = { fetch: endless(`${" ".repeat(4096)}`, "application/json") };
    setTimeout(() => client.abort(), 20);
    const result = await engine.call({ budget, policy, signal: client.signal, ports });
    expect(result).toMatchObject({ type: "failure", failure: { class: "canceled" } });
  });

  it("ends a live stream at stream_ms", async () => {
    const engine = engineOn("ok");
    const event = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: "x" } }] })}\n\n`;
    const ports = { fetch: endless(event, "text/event-stream") };
    const result = await engine.call({ budget, policy: { ...policy, timeouts }, stream: true, ports });
    if (result.type !== "stream") throw new Error("no stream");
    const frames = await readAll(result.frames);
    expect(frames.at(-1)?.events).toMatchObject([{ type: "error", failure: { reason: "timeout" } }]);
    expect((await result.done).cost).toBeUndefined();
  });
});
