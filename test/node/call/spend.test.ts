import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { EnvelopeClaim, ReserveRequest } from "../../../src/envelope/envelope.ts";
import { envelopeClaim } from "../../../src/envelope/period.ts";
import { nanoUsd } from "../../../src/money/nano-usd.ts";
import { decodeRequest } from "../../../src/wire/openai-chat/ingress-request.ts";
import { candidate, readAll, testEngine } from "../../support/engine/engine.ts";
import { type FaultyUpstream, startFaultyUpstream } from "../../support/upstreams/faulty-upstream.ts";

let upstream: FaultyUpstream;
let scenarios = 0;
beforeAll(async () => {
  upstream = await startFaultyUpstream();
});
afterAll(() => upstream.close());

function served(kinds: string) {
  const scenario = `${kinds}@m${scenarios++}`;
  return { baseUrl: `${upstream.url}/${scenario}/v1`, requests: () => upstream.requests(scenario) };
}

const CLAIM: EnvelopeClaim = { scope: "route-day", id: "route-day:test.route:2026-11-29", limit: nanoUsd(1e9) };
const OWN = { type: "function", function: { name: "own" } };
const LIMITED = { claims: [CLAIM] };
const NO_RETRY = { network: 0, content_invalid: 0, capacity_shed: 0, server_error: 0 };
const params = { params: { max_tokens: 50 } };

describe("spend of a call", () => {
  it("reserves the worst case before it sends, and settles what it cost", async () => {
    const target = served("ok:5");
    const engine = testEngine([{ name: "a", baseUrl: target.baseUrl }]);
    const result = await engine.call({ budget: LIMITED, policy: { candidates: [candidate("a", params)] } });
    const [books] = [...engine.reservations.values()];
    // 7 prompt tokens at $1, 5 completion tokens at $2 per million.
    expect(books?.actual).toBe(7 * 1000 + 5 * 2000);
    expect(books?.worstCase).toBeGreaterThanOrEqual(50 * 2000);
    expect(result.type === "answer" && result.inference.cost).toBe(17_000);
  });

  it("counts the part of an unknown bill that is known where it is above the reservation", async () => {
    const { body } = new Response(
      'data: {"choices":[{"index":0,"delta":{"content":"a"}}],"usage":{"prompt_tokens":7,"completion_tokens":5000}}\n\n',
    );
    const engine = testEngine([{ name: "a", baseUrl: "http://127.0.0.1:1/v1" }]);
    const fetch = () => Promise.resolve(new Response(body, { headers: { "content-type": "text/event-stream" } }));
    const policy = { candidates: [candidate("a", params)], retry: NO_RETRY };
    const result = await engine.call({ budget: LIMITED, policy, stream: true, ports: { fetch } });
    if (result.type === "stream") {
      await readAll(result.frames);
      await result.done;
    }
    const known = 7 * 1_000 + 5_000 * 2_000;
    expect([...engine.reservations.values()].map(({ actual }) => actual)).toEqual([known]);
    expect(engine.recorded[0]?.attempts).toMatchObject([{ cost: undefined, reserved: known }]);
  });

  it("makes no reservation where nothing limits the call", async () => {
    const engine = testEngine([{ name: "a", baseUrl: served("ok").baseUrl }]);
    await engine.call();
    expect(engine.reservations.size).toBe(0);
  });

  it("sends nothing when an envelope refuses, and says which case it is", async () => {
    const target = served("ok");
    const refuse = async ({ worstCase }: ReserveRequest) =>
      ({
        granted: false,
        scope: CLAIM.scope,
        envelopeId: CLAIM.id,
        limit: CLAIM.limit,
        spent: CLAIM.limit,
        reserved: nanoUsd(0),
        worstCase,
        reason: "envelope_spent",
        resetsAt: Date.UTC(2026, 10, 30),
      }) as const;
    const engine = testEngine([{ name: "a", baseUrl: target.baseUrl }], refuse);
    const result = await engine.call({ budget: LIMITED, policy: { candidates: [candidate("a", params)] } });
    expect(result).toMatchObject({
      type: "failure",
      failure: { class: "budget_exhausted", reason: "envelope_spent", resetsAt: "2026-11-30T00:00:00.000Z" },
    });
    expect(target.requests()).toEqual([]);
  });

  it("refuses when the envelopes cannot be reached", async () => {
    const engine = testEngine([{ name: "a", baseUrl: served("ok").baseUrl }], async () => "unreachable");
    const result = await engine.call({ budget: LIMITED, policy: { candidates: [candidate("a", params)] } });
    expect(result).toMatchObject({
      type: "failure",
      failure: { class: "budget_exhausted", reason: "envelope_unreachable" },
    });
  });

  it("refuses an unpriced candidate under a limit, unless the route allows it", async () => {
    const target = served("ok");
    const engine = testEngine([{ name: "a", baseUrl: target.baseUrl, unpriced: true }]);
    const options = { budget: LIMITED, policy: { candidates: [candidate("a", params)] } };
    expect(await engine.call(options)).toMatchObject({ failure: { class: "budget_exhausted", reason: "unpriced" } });
    const allowed = await engine.call({ ...options, policy: { ...options.policy, allowUnpriced: true } });
    expect(allowed).toMatchObject({ type: "answer" });
    expect(engine.recorded[1]?.cost).toBeUndefined();
  });

  it("refuses a candidate whose output has no bound under a limit", async () => {
    const engine = testEngine([{ name: "a", baseUrl: served("ok").baseUrl }]);
    expect(await engine.call({ budget: LIMITED })).toMatchObject({ failure: { reason: "unpriced" } });
  });

  it("always sends the bound it reserved for", async () => {
    const target = served("ok");
    const engine = testEngine([{ name: "a", baseUrl: target.baseUrl, maxOutput: 777 }]);
    await engine.call({ budget: LIMITED });
    expect(JSON.stringify(target.requests()[0]?.body)).toContain("777");
  });

  it("holds the per-call limit over retries and repairs, without an envelope", async () => {
    const target = served("status:500,ok");
    const engine = testEngine([{ name: "a", baseUrl: target.baseUrl }]);
    const tight = { perCall: nanoUsd(10_000), claims: [] };
    const result = await engine.call({ budget: tight, policy: { candidates: [candidate("a", params)] } });
    expect(result).toMatchObject({ failure: { class: "budget_exhausted", reason: "envelope_too_small" } });
    expect(target.requests()).toEqual([]);
  });

  it("releases the reservation of an attempt that the provider refused", async () => {
    const engine = testEngine([{ name: "a", baseUrl: served("status:500").baseUrl }]);
    await engine.call({ budget: LIMITED, policy: { candidates: [candidate("a", params)] } });
    expect([...engine.reservations.values()].every((books) => books.actual === "released")).toBe(true);
    expect(engine.recorded[0]?.cost).toBe(0);
  });

  it("counts attempts whose bill is unknown at their reservation in usd_per_call", async () => {
    const target = served("reset,ok");
    const engine = testEngine([{ name: "a", baseUrl: target.baseUrl }]);
    const policy = { candidates: [candidate("a", params)], retry: { ...NO_RETRY, network: 1 } };
    const free = await engine.call({ budget: { perCall: nanoUsd(1_000_000_000), claims: [] }, policy });
    const bound = free.type === "answer" ? (free.inference.attempts[0]?.reserved ?? 0) : 0;
    expect(bound).toBeGreaterThan(0);
    const tight = testEngine([{ name: "a", baseUrl: served("reset,ok").baseUrl }]);
    const refused = await tight.call({ budget: { perCall: nanoUsd(2 * bound - 1), claims: [] }, policy });
    expect(refused).toMatchObject({ failure: { class: "budget_exhausted", reason: "envelope_spent" } });
  });

  it("draws on the new day when the call goes on past midnight", async () => {
    const day = envelopeClaim("route-day", ["test.route"], nanoUsd(1_000_000_000), Date.now() - 86_400_000);
    const claims: (readonly EnvelopeClaim[])[] = [];
    const engine = testEngine([{ name: "a", baseUrl: served("ok").baseUrl }], async (request) => {
      claims.push(request.claims);
      return { granted: true };
    });
    const month = envelopeClaim("org-month", [], nanoUsd(1_000_000_000), Date.now());
    await engine.call({ budget: { claims: [day, month] }, policy: { candidates: [candidate("a", params)] } });
    const today = envelopeClaim("route-day", ["test.route"], nanoUsd(1_000_000_000), Date.now());
    expect(claims).toEqual([[today, month]]);
  });

  it.each([
    ["web_search_options", { web_search_options: {} }],
    ["best_of", { best_of: 50 }],
    ["plugins", { plugins: [{ id: "web" }] }],
    ["tools[1]", { tools: [OWN, { type: "web_search" }], tool_choice: "required" }],
  ])("sends nothing under a limit when the client's %s could bill without bound", async (param, more) => {
    const target = served("ok");
    const engine = testEngine([{ name: "a", baseUrl: target.baseUrl }]);
    const decoded = decodeRequest({ model: "a/m", messages: [{ role: "user", content: "x" }], max_tokens: 5, ...more });
    const request = decoded.ok ? decoded.value.request : {};
    const result = await engine.call({ budget: LIMITED, request });
    expect(result).toMatchObject({
      type: "failure",
      failure: { class: "budget_exhausted", reason: "unpriced", param },
    });
    expect(target.requests()).toEqual([]);
    expect(await engine.call({ request })).toMatchObject({ type: "answer" });
  });

  it("leaves out under a limit what the provider would run beside the client's own tools, and names it", async () => {
    const target = served("ok");
    const engine = testEngine([{ name: "a", baseUrl: target.baseUrl }]);
    const more = { tools: [OWN, { type: "web_search" }] };
    const decoded = decodeRequest({ model: "a/m", messages: [{ role: "user", content: "x" }], max_tokens: 5, ...more });
    const request = decoded.ok ? decoded.value.request : {};
    const limited = await engine.call({ budget: LIMITED, request });
    expect(limited).toMatchObject({ type: "answer", inference: { attempts: [{ dropped: [{ field: "tools[1]" }] }] } });
    await engine.call({ request });
    expect(target.requests()).toMatchObject([{ body: { tools: [OWN] } }, { body: { tools: more.tools } }]);
  });
});
