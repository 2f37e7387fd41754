import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CallResult } from "../../../src/call/call.ts";
import { nanoUsd } from "../../../src/money/nano-usd.ts";
import { readAll, testEngine, textFrom } from "../../support/engine/engine.ts";
import { answerText } from "../../support/engine/faults.ts";
import { type FaultyUpstream, startFaultyUpstream } from "../../support/upstreams/faulty-upstream.ts";

let upstream: FaultyUpstream;
let scenarios = 0;
beforeAll(async () => {
  upstream = await startFaultyUpstream();
});
afterAll(() => upstream.close());

function served(kinds: string) {
  const scenario = `${kinds}@s${scenarios++}`;
  return { baseUrl: `${upstream.url}/${scenario}/v1`, requests: () => upstream.requests(scenario) };
}

/** Short for the silence that a test waits out, and no shorter than a busy machine needs for its first byte. */
const TIMEOUTS = { firstTokenMs: 1500, idleMs: 500, attemptMs: 5000, callMs: 15000, streamMs: 15000 };

async function streamed(kinds: string, fallback = "ok") {
  const [first, second] = [served(kinds), served(fallback)];
  const engine = testEngine([
    { name: "first", baseUrl: first.baseUrl },
    { name: "second", baseUrl: second.baseUrl },
  ]);
  const result = await engine.call({ stream: true, policy: { timeouts: TIMEOUTS } });
  return { engine, result, first, second };
}

function streamOf(result: CallResult) {
  if (result.type !== "stream") throw new Error(`expected a stream, got ${result.type}`);
  return result;
}

describe("a stream before its first content", () => {
  it.each([
    ["an error in its first event (G023, G028)", "error-first"],
    ["an error status", "status:529"],
    ["a silent upstream", "stall"],
    ["headers and then silence", "stall-after:0"],
    ["keep-alive comments instead of an answer", "keepalive-after:0"],
    ["a connection that breaks", "cut-after:0"],
    ["a body that ends", "end-after:0"],
    ["a frame that is no JSON", "malformed-after:0"],
    ["a web page", "html:200"],
  ])("fails over unseen on %s", async (_what, kind) => {
    const { engine, result } = await streamed(kind);
    const text = await textFrom(result);
    expect(text).toBe(answerText(5));
    expect(streamOf(result).head.served.provider).toBe("second");
    const inference = await streamOf(result).done;
    expect(inference.attempts[0]?.failure).toBeDefined();
    expect(inference.failure).toBeUndefined();
    expect(engine.recorded).toEqual([inference]);
  });
});

describe("a stream after its first content", () => {
  it.each([
    ["a connection that breaks", "cut-after:3"],
    ["a reset", "reset-after:3"],
    ["a body that ends without a finish", "end-after:3"],
    ["a stall", "stall-after:3"],
    ["a stall under keep-alive comments", "keepalive-after:3"],
    ["an error event", "error-after:3"],
    ["a frame that is no JSON", "malformed-after:3"],
  ])("G027, G030, G032: ends in an error on %s, never in a clean finish, and asks nobody else", async (_what, kind) => {
    const { engine, result, second } = await streamed(kind);
    const stream = streamOf(result);
    const frames = await readAll(stream.frames);
    const events = frames.flatMap((frame) => frame.events);
    expect(events.some((event) => event.type === "end" || event.type === "finish")).toBe(false);
    expect(events.at(-1)).toMatchObject({ type: "error" });
    const inference = await stream.done;
    expect(inference.failure).toBeDefined();
    expect(second.requests()).toEqual([]);
    expect(engine.recorded).toEqual([inference]);
  });

  it("does not know what a cut stream cost: its provider may have gone on", async () => {
    const { result } = await streamed("cut-after:3");
    const stream = streamOf(result);
    await readAll(stream.frames);
    expect((await stream.done).cost).toBeUndefined();
  });

  it("takes a finish without [DONE] as whole", async () => {
    const { result } = await streamed("no-done");
    await textFrom(result);
    expect((await streamOf(result).done).failure).toBeUndefined();
  });
});

describe("a stream whose answer is whole", () => {
  it.each(["no-end", "reset-end"])("ends as complete though its upstream never ends it (%s)", async (kind) => {
    const { result, second } = await streamed(kind);
    const stream = streamOf(result);
    const frames = await readAll(stream.frames);
    expect(frames.flatMap(({ events }) => events).at(-1)).toEqual({ type: "end" });
    expect(await stream.done).toMatchObject({ failure: undefined, finish: { unified: "stop" } });
    expect(second.requests()).toEqual([]);
  });

  it("is not taken for one while another of its choices still speaks", async () => {
    const upstream = served("no-end");
    const engine = testEngine([{ name: "one", baseUrl: upstream.baseUrl }]);
    const stream = streamOf(
      await engine.call({ stream: true, request: { choices: 2 }, policy: { timeouts: TIMEOUTS } }),
    );
    await readAll(stream.frames);
    expect(await stream.done).toMatchObject({ failure: { class: "network", reason: "timeout" } });
  });
});

describe("a stream of spoken audio", () => {
  it("is committed by its first piece and passes whole", async () => {
    const { result, second } = await streamed("audio:150");
    const stream = streamOf(result);
    const frames = await readAll(stream.frames);
    expect(JSON.stringify(frames.map(({ native }) => native?.data))).toMatch(/AAAA.*BBBB.*CCCC/);
    expect((await stream.done).failure).toBeUndefined();
    expect(second.requests()).toEqual([]);
  });

  it("that is left counts its whole reservation: audio bytes say nothing about tokens", async () => {
    const upstream = served("audio:5000");
    const engine = testEngine([{ name: "one", baseUrl: upstream.baseUrl, maxOutput: 10 }]);
    const claims = [{ id: "day", scope: "route-day" as const, limit: nanoUsd(1_000_000_000) }];
    const stream = streamOf(await engine.call({ stream: true, budget: { claims } }));
    await stream.frames.read();
    stream.frames.cancel();
    expect(await stream.done).toMatchObject({ failure: { class: "canceled" }, cost: undefined });
    expect([...engine.reservations.values()]).toMatchObject([{ actual: "unknown" }]);
  });
});

describe("a reader that is slow", () => {
  it("does not turn its own pauses into a stall of the upstream", async () => {
    const { result } = await streamed("trickle:20");
    const stream = streamOf(result);
    let pauses = 3;
    while (await stream.frames.read()) if (pauses-- > 0) await pause(TIMEOUTS.idleMs + 100);
    const inference = await stream.done;
    expect(inference.failure).toBeUndefined();
    expect(inference.attempts[0]?.usage?.output.total).toBe(10);
  });
});

describe("a client that goes away", () => {
  it("G096, G097: stops the upstream while the answer is awaited", async () => {
    const silent = served("stall");
    const engine = testEngine([{ name: "silent", baseUrl: silent.baseUrl }]);
    const client = new AbortController();
    const pending = engine.call({ signal: client.signal });
    await expect.poll(() => silent.requests().length).toBe(1);
    client.abort();
    expect(await pending).toMatchObject({ type: "failure", failure: { class: "canceled" } });
    await expect.poll(() => silent.requests()[0]?.abortedAt).toBeDefined();
    expect(engine.recorded[0]).toMatchObject({ failure: { class: "canceled" }, cost: undefined });
  });

  it("G095, G098: stops the upstream in the middle of a stream, whose bill is then unknown", async () => {
    const slow = served("trickle:50");
    const engine = testEngine([{ name: "slow", baseUrl: slow.baseUrl }]);
    const stream = streamOf(await engine.call({ stream: true }));
    await stream.frames.read();
    stream.frames.cancel();
    expect(await stream.done).toMatchObject({ failure: { class: "canceled" }, cost: undefined });
    await expect.poll(() => slow.requests()[0]?.abortedAt).toBeDefined();
  });

  it("books what was streamed where the provider is known to stop billing then", async () => {
    const slow = served("trickle:50");
    const engine = testEngine([{ name: "slow", baseUrl: slow.baseUrl, stopsBillingOnDisconnect: "its docs" }]);
    const stream = streamOf(await engine.call({ stream: true }));
    await stream.frames.read();
    await stream.frames.read();
    stream.frames.cancel();
    const inference = await stream.done;
    expect(inference).toMatchObject({ failure: { class: "canceled" }, costEstimated: true });
    expect(inference.attempts[0]?.usage).toMatchObject({ estimated: true });
    expect(inference.cost).toBeGreaterThan(0);
  });
});

describe("a validated stream", () => {
  it("fails over even on a cut after the first content", async () => {
    const [cut, good] = [served("cut-after:3"), served("ok")];
    const engine = testEngine([
      { name: "cut", baseUrl: cut.baseUrl },
      { name: "good", baseUrl: good.baseUrl },
    ]);
    const result = await engine.call({
      stream: true,
      policy: {
        timeouts: TIMEOUTS,
        stream: "validated",
        retry: { network: 0, content_invalid: 0, capacity_shed: 0, server_error: 0 },
      },
    });
    expect(await textFrom(result)).toBe(answerText(5));
    expect(streamOf(result).head.served.provider).toBe("good");
  });
});
