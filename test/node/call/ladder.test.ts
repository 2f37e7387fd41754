import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { decodeRequest } from "../../../src/wire/openai-chat/ingress-request.ts";
import { candidate, testEngine, textFrom } from "../../support/engine/engine.ts";
import { answerText } from "../../support/engine/faults.ts";
import { type FaultyUpstream, startFaultyUpstream } from "../../support/upstreams/faulty-upstream.ts";

let upstream: FaultyUpstream;
let scenarios = 0;
beforeAll(async () => {
  upstream = await startFaultyUpstream();
});
afterAll(() => upstream.close());

/** A base URL whose requests are answered by these kinds, in order; the last one stays. */
function served(kinds: string): { readonly baseUrl: string; readonly count: () => number } {
  const scenario = `${kinds}@${scenarios++}`;
  return { baseUrl: `${upstream.url}/${scenario}/v1`, count: () => upstream.requests(scenario).length };
}

describe("the candidate ladder", () => {
  it("serves from the first candidate and asks nobody else", async () => {
    const [first, second] = [served("ok"), served("ok")];
    const engine = testEngine([
      { name: "first", baseUrl: first.baseUrl },
      { name: "second", baseUrl: second.baseUrl },
    ]);
    const result = await engine.call();
    expect(await textFrom(result)).toBe(answerText(5));
    expect([first.count(), second.count()]).toEqual([1, 0]);
    expect(engine.recorded).toHaveLength(1);
    expect(engine.recorded[0]).toMatchObject({
      served: { provider: "first", model: "m" },
      rung: "none",
      costEstimated: false,
    });
  });

  it("lets no client name another model to a router behind it", async () => {
    const engine = testEngine([{ name: "router", baseUrl: `${upstream.url}/ok@router/v1` }]);
    const body = {
      model: "router/m",
      messages: [{ role: "user", content: "x" }],
      models: ["other/m"],
      route: "fallback",
    };
    const decoded = decodeRequest(body);
    const result = await engine.call({ request: decoded.ok ? decoded.value.request : {} });
    expect(result.type).toBe("answer");
    expect(upstream.requests("ok@router")[0]?.body).toEqual({ model: "m", messages: body.messages });
    expect(engine.recorded[0]?.attempts[0]?.dropped.map(({ field }) => field)).toEqual(["models", "route"]);
  });

  it.each([
    ["a server error", "status:500", 2],
    ["overload", "status:529", 2],
    ["an unavailable service", "status:503", 2],
    ["an exhausted quota", "quota", 1],
    ["a refused key", "auth", 1],
    ["a reset connection", "reset", 3],
    ["an HTML error page", "html:502", 2],
  ])("G034, G088: falls through on %s after its retries", async (_what, kind, asked) => {
    const [bad, good] = [served(kind), served("ok")];
    const engine = testEngine([
      { name: "bad", baseUrl: bad.baseUrl },
      { name: "good", baseUrl: good.baseUrl },
    ]);
    expect(await textFrom(await engine.call())).toBe(answerText(5));
    expect([bad.count(), good.count()]).toEqual([asked, 1]);
    expect(engine.recorded[0]?.attempts).toHaveLength(asked + 1);
  });

  it("stops on a bad request: another model would only hide the caller's fault", async () => {
    const [bad, good] = [served("status:400"), served("ok")];
    const engine = testEngine([
      { name: "bad", baseUrl: bad.baseUrl },
      { name: "good", baseUrl: good.baseUrl },
    ]);
    const result = await engine.call();
    expect(result).toMatchObject({ type: "failure", failure: { class: "bad_request" } });
    expect([bad.count(), good.count()]).toEqual([1, 0]);
  });

  it("never asks a candidate again that stayed silent until a timeout", async () => {
    const [silent, good] = [served("stall"), served("ok")];
    const engine = testEngine([
      { name: "silent", baseUrl: silent.baseUrl },
      { name: "good", baseUrl: good.baseUrl },
    ]);
    const timeouts = { idleMs: 1000, attemptMs: 150, callMs: 5000, streamMs: 5000 };
    expect(await textFrom(await engine.call({ policy: { timeouts } }))).toBe(answerText(5));
    expect([silent.count(), good.count()]).toEqual([1, 1]);
    expect(engine.recorded[0]?.attempts[0]?.failure).toMatchObject({ class: "network", reason: "timeout" });
  });

  it("ends with the call's deadline, whatever the budgets say", async () => {
    const silent = served("stall");
    const engine = testEngine([{ name: "silent", baseUrl: silent.baseUrl }]);
    // An attempt alone would outlast the test.
    const timeouts = { idleMs: 1000, attemptMs: 600_000, callMs: 200, streamMs: 5000 };
    const result = await engine.call({ policy: { timeouts } });
    expect(result).toMatchObject({ type: "failure", failure: { class: "network", reason: "timeout" } });
  });

  it("passes over trial, unknown, keyless and open candidates, and says why", async () => {
    const good = served("ok");
    const engine = testEngine([
      { name: "trial", baseUrl: good.baseUrl },
      { name: "keyless", baseUrl: good.baseUrl, apiKeyEnv: "MISSING_KEY" },
      { name: "tripped", baseUrl: good.baseUrl },
      { name: "good", baseUrl: good.baseUrl },
    ]);
    engine.open.set("tripped/m", 5000);
    const candidates = [
      candidate("trial", { trial: true }),
      candidate("ghost"),
      candidate("keyless"),
      candidate("tripped"),
      candidate("good"),
    ];
    await engine.call({ policy: { candidates } });
    expect(engine.recorded[0]?.skipped.map(({ candidate: key, why }) => [key, why])).toEqual([
      ["trial/m", "trial"],
      ["ghost/m", "unknown_provider"],
      ["keyless/m", "missing_key"],
      ["tripped/m", "breaker_open"],
    ]);
    expect(engine.recorded[0]?.served).toEqual({ provider: "good", model: "m" });
  });

  it("says when it is worth asking again where every breaker is open", async () => {
    const engine = testEngine([
      { name: "a", baseUrl: served("ok").baseUrl },
      { name: "b", baseUrl: served("ok").baseUrl },
    ]);
    engine.open.set("a/m", 9000).set("b/m", 4000);
    expect(await engine.call()).toMatchObject({
      type: "failure",
      failure: { class: "breaker_open", retryAfterMs: 4000 },
    });
  });

  it("sends a prompt that overflowed only to a window known to be larger", async () => {
    const [small, same, large] = [served("context-length"), served("ok"), served("ok")];
    const engine = testEngine([
      { name: "small", baseUrl: small.baseUrl, contextWindow: 8_000 },
      { name: "same", baseUrl: same.baseUrl, contextWindow: 8_000 },
      { name: "large", baseUrl: large.baseUrl, contextWindow: 100_000 },
    ]);
    await textFrom(await engine.call());
    expect([small.count(), same.count(), large.count()]).toEqual([1, 0, 1]);
  });

  it("G085: waits out a short Retry-After on the same candidate", async () => {
    const busy = served("status:429:1,ok");
    const spare = served("ok");
    const engine = testEngine([
      { name: "busy", baseUrl: busy.baseUrl },
      { name: "spare", baseUrl: spare.baseUrl },
    ]);
    await textFrom(await engine.call());
    expect([busy.count(), spare.count()]).toEqual([2, 0]);
  });

  it("reports infrastructure failures to the breaker, and content failures never", async () => {
    const [down, broke, odd] = [served("status:500"), served("quota"), served("say:not json")];
    const engine = testEngine([
      { name: "down", baseUrl: down.baseUrl },
      { name: "broke", baseUrl: broke.baseUrl },
      { name: "odd", baseUrl: odd.baseUrl },
    ]);
    const output = { schema: { type: "object" }, name: "o", ladder: ["coached" as const] };
    await engine.call({ policy: { output } });
    expect(engine.reports).toEqual([
      { candidate: "down/m", outcome: "failure", trip: false },
      { candidate: "down/m", outcome: "failure", trip: false },
      { candidate: "broke/m", outcome: "failure", trip: true },
      { candidate: "odd/m", outcome: "success", trip: false },
      { candidate: "odd/m", outcome: "success", trip: false },
    ]);
  });
});

describe("an upstream that redirects", () => {
  it("is not followed: prompt and key go to declared addresses only", async () => {
    const target = served("ok");
    const moved = http.createServer((_request, response) =>
      response.writeHead(307, { location: `${target.baseUrl}/chat/completions` }).end(),
    );
    await new Promise<void>((resolve) => moved.listen(0, "127.0.0.1", resolve));
    const { port } = moved.address() as AddressInfo;
    const engine = testEngine([{ name: "moved", baseUrl: `http://127.0.0.1:${port}` }]);
    const result = await engine.call();
    moved.close();
    expect(result).toMatchObject({ type: "failure" });
    expect(target.count()).toBe(0);
  });
});

describe("an upstream that echoes the key it was sent", () => {
  it("does not bring it to the client or into the record, whatever its shape", async () => {
    const echoing = http.createServer(({ headers }, response) => {
      const key = headers.authorization?.slice("Bearer ".length);
      const error = { message: `no such user: ${key}`, code: key, param: key };
      response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify({ error }));
    });
    await new Promise<void>((resolve) => echoing.listen(0, "127.0.0.1", resolve));
    const { port } = echoing.address() as AddressInfo;
    const engine = testEngine([{ name: "a", baseUrl: `http://127.0.0.1:${port}`, apiKeyEnv: "PRESENT_KEY" }]);
    Object.assign(engine.ports, { secret: () => "hunter2-of-mine" });
    const result = await engine.call();
    echoing.close();
    expect(result).toMatchObject({ type: "failure", failure: { message: "no such user: [redacted]" } });
    expect(JSON.stringify([result, engine.recorded])).not.toContain("hunter2");
  });
});
