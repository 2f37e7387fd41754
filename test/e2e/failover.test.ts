/**
 * The 16 faults of FailoverBench, re-implemented over HTTP against a running gateway. Its rules: at most two retries of a
 * candidate, one fallback, and a truncated stream shown as success is the worst outcome. Its waits of ten seconds and
 * more run here at a quarter of their length, and so do the limits they are held against. No limit is asserted in
 * milliseconds: that the fallback served, or that the stream ended, while the first upstream is silent for ever shows it.
 */
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { answerText } from "../support/engine/faults.ts";
import { type DevGateway, type StreamSeen, startGateway } from "../support/hosts/dev-gateway.ts";
import { type FaultyUpstream, startFaultyUpstream } from "../support/upstreams/faulty-upstream.ts";

const SCALE = 4;
const scaled = (ms: number): number => ms / SCALE;

/** Scenario → what the first candidate does, and the second. */
const SCENARIOS = {
  s01: ["status:429:2,ok", "ok"],
  s02: ["status:429:1", "ok"],
  s03: ["status:500,ok", "ok"],
  s04: ["status:503", "ok"],
  s05: ["reset", "ok"],
  s06: ["stall", "ok"],
  s07: [`slow-first:${scaled(20_000)}`, "ok"],
  s08: ["cut-after:40", "ok"],
  s09: ["stall-after:20", "ok"],
  s10: ["malformed-after:20", "ok"],
  "s10-first": ["malformed-after:0", "ok"],
  s11: ["no-done", "ok"],
  "s11-open": ["no-end", "ok"],
  "s11-cut": ["end-after:5", "ok"],
  s12: ["context-length", "ok"],
  "s12-larger": ["context-length", "ok"],
  s13: ["content-filter", "ok"],
  s14: ["status:503", "no-prefill"],
  s15: ["status:503", "ok"],
  s16: ["status:500", "ok"],
} as const;
type Scenario = keyof typeof SCENARIOS;

/** Longer than a test may take: what would wait for its end fails. */
const PATIENT = { first_token_ms: 600_000, idle_ms: 600_000, attempt_ms: 600_000, call_ms: 600_000 };
/** The defaults, scaled: a first token within 10 s, no silence of 20 s, an answer within 60 s, a call within 90 s. */
const SCALED = {
  ...{ first_token_ms: scaled(10_000), idle_ms: scaled(20_000) },
  ...{ attempt_ms: scaled(60_000), call_ms: scaled(90_000) },
};
/** Of the scenarios in which an upstream is silent. */
const TIMEOUTS: Partial<Record<Scenario, typeof SCALED>> = { s06: SCALED, s07: SCALED, s09: SCALED };

let upstream: FaultyUpstream;
let gateway: DevGateway;
const passed = new Map<string, string>();

beforeAll(async () => {
  upstream = await startFaultyUpstream();
  const providers: Record<string, unknown> = {};
  const routes: Record<string, unknown> = {};
  const provider = (kinds: string, window: number, price: number) => ({
    dialect: "openai",
    base_url: `${upstream.url}/${kinds}/v1`,
    models: {
      m: { context_window: window, max_output: 1_000, price: { input_per_million: price, output_per_million: price } },
    },
  });
  for (const [name, [first, second]] of Object.entries(SCENARIOS)) {
    providers[`${name}-a`] = provider(`${first}@${name}-a`, 8_000, 1);
    providers[`${name}-b`] = provider(`${second}@${name}-b`, name === "s12" ? 8_000 : 128_000, 3);
    routes[name] = {
      candidates: [
        { provider: `${name}-a`, model: "m" },
        { provider: `${name}-b`, model: "m" },
      ],
      timeouts: TIMEOUTS[name as Scenario] ?? PATIENT,
    };
  }
  gateway = await startGateway({ providers, routes });
});

afterAll(async () => {
  const rows = Array.from({ length: 16 }, (_, index) => {
    const id = `S${String(index + 1).padStart(2, "0")}`;
    return `  ${id}  ${passed.has(id) ? "passed" : "FAILED"}  ${passed.get(id) ?? ""}`;
  });
  console.log(`\nFailoverBench, ${passed.size} of 16, long waits at 1:${SCALE}\n${rows.join("\n")}\n`);
  expect(await gateway?.dev.stop()).toBe(0);
  await upstream?.close();
});

/** How often each candidate was asked. */
const asked = (name: Scenario): number[] =>
  (["a", "b"] as const).map((side, index) => upstream.requests(`${SCENARIOS[name][index]}@${name}-${side}`).length);

function result(id: string, what: string): void {
  passed.set(id, what);
}

/** A whole answer of the second candidate, and no sign of the first. */
function servedBy(seen: StreamSeen, provider: string, tokens = 5): void {
  expect(seen).toMatchObject({ status: 200, text: answerText(tokens), finish: "stop", done: true, error: undefined });
  expect(seen.headers.get("x-modelrig-served")).toBe(`${provider}/m`);
}

/** What came is kept, and its end is visibly no success. */
function failedAfter(seen: StreamSeen, tokens: number): void {
  expect(seen.text).toBe(answerText(tokens));
  expect(seen.error).toMatchObject({ failure_class: "network" });
  expect(seen).toMatchObject({ done: false, finish: undefined });
}

describe.concurrent("a gateway under the faults of FailoverBench", () => {
  test("S01 waits out a 429 that names two seconds, on the same candidate", async () => {
    const seen = await gateway.stream("s01");
    servedBy(seen, "s01-a");
    expect(seen.totalMs).toBeGreaterThanOrEqual(1_990);
    expect(asked("s01")).toEqual([2, 0]);
    result("S01", `429 with Retry-After 2 s: same candidate after ${Math.round(seen.totalMs)} ms (not scaled)`);
  });

  test("S02 falls over from a 429 that stays", async () => {
    const seen = await gateway.stream("s02");
    servedBy(seen, "s02-b");
    expect(asked("s02")).toEqual([2, 1]);
    result("S02", "429 without end: one retry, then the fallback");
  });

  test("S03 survives a single 500 on the same candidate", async () => {
    const seen = await gateway.stream("s03");
    servedBy(seen, "s03-a");
    expect(asked("s03")).toEqual([2, 0]);
    result("S03", "500 once: same candidate at the second try");
  });

  test("S04 falls over from a 503 that stays", async () => {
    const [whole, seen] = [await gateway.ask("s04"), await gateway.stream("s04")];
    expect(whole).toMatchObject({ status: 200, body: { choices: [{ message: { content: answerText(5) } }] } });
    servedBy(seen, "s04-b");
    expect(asked("s04")[0]).toBeLessThanOrEqual(4);
    result("S04", "503 without end: one retry, then the fallback");
  });

  test("S05 falls over from connections that are reset", async () => {
    const seen = await gateway.stream("s05");
    servedBy(seen, "s05-b");
    expect(asked("s05")).toEqual([3, 1]);
    result("S05", "TCP reset: two retries, then the fallback");
  });

  test("S06 gives up on an upstream that never answers, once, and falls over", async () => {
    const [seen, whole] = await Promise.all([gateway.stream("s06"), gateway.ask("s06")]);
    servedBy(seen, "s06-b");
    expect(whole.status).toBe(200);
    expect(asked("s06")).toEqual([2, 2]);
    result(
      "S06",
      `silence: fallback after ${Math.round(seen.totalMs)} ms streamed, ${Math.round(whole.totalMs)} ms whole`,
    );
  });

  test("S07 falls over from a first token that takes 20 s", async () => {
    const seen = await gateway.stream("s07");
    servedBy(seen, "s07-b");
    result("S07", `slow first token: first text after ${Math.round(seen.firstTextMs ?? 0)} ms from the fallback`);
  });

  test("S08 shows a stream cut after 40 tokens as failed, never as finished", async () => {
    const seen = await gateway.stream("s08");
    failedAfter(seen, 40);
    expect(asked("s08")).toEqual([1, 0]);
    result("S08", "cut after 40 tokens: text kept, error event, no finish and no [DONE]");
  });

  test("S09 ends a stream that stalls after 20 tokens", async () => {
    const seen = await gateway.stream("s09");
    failedAfter(seen, 20);
    result("S09", `stall after 20 tokens: error event after ${Math.round(seen.totalMs)} ms`);
  });

  test("S10 takes a malformed chunk for a broken stream: unseen before content, an error after it", async () => {
    servedBy(await gateway.stream("s10-first"), "s10-first-b");
    failedAfter(await gateway.stream("s10"), 20);
    result("S10", "malformed chunk: fallback before content, error event after it");
  });

  test("S11 takes a finish without [DONE] as whole, closed or not, and a missing finish as cut", async () => {
    servedBy(await gateway.stream("s11"), "s11-a");
    const open = await gateway.stream("s11-open");
    servedBy(open, "s11-open-a");
    failedAfter(await gateway.stream("s11-cut"), 5);
    result("S11", "no [DONE]: whole with a finish reason, an error without one");
  });

  test("S12 asks nobody again about a prompt that is too long, except a larger window", async () => {
    const refused = await gateway.ask("s12");
    expect(refused).toMatchObject({ status: 400, body: { error: { code: "context_length_exceeded" } } });
    expect(asked("s12")).toEqual([1, 0]);
    servedBy(await gateway.stream("s12-larger"), "s12-larger-b");
    expect(asked("s12-larger")).toEqual([1, 1]);
    result("S12", "context length: asked once, then a larger window or a clean 400");
  });

  test("S13 passes a refusal by content policy on as a clean error", async () => {
    for (const seen of [await gateway.ask("s13"), await gateway.ask("s13", { stream: true })]) {
      expect(seen).toMatchObject({ status: 400, body: { error: { code: "content_filter" } } });
    }
    expect(asked("s13")).toEqual([2, 0]);
    result("S13", "content policy: asked once, 400 content_filter");
  });

  test("S14 leaves an assistant prefill out for a fallback that rejects it, and says so", async () => {
    const messages = [
      { role: "user", content: "JSON, please" },
      { role: "assistant", content: "{" },
    ];
    const seen = await gateway.stream("s14", { messages });
    servedBy(seen, "s14-b");
    expect(seen.headers.get("x-modelrig-dropped")).toBe("messages");
    expect(asked("s14")).toEqual([2, 2]);
    result("S14", "prefill rejected by the fallback: sent again without it, named in x-modelrig-dropped");
  });

  test("S15 serves 20 calls through a flap of 60 s (here 6 s) and soon stops asking the one that is down", async () => {
    const seen = [];
    for (let call = 0; call < 20; call += 1) {
      seen.push(gateway.stream("s15"));
      await pause(scaled(3_000));
    }
    for (const one of await Promise.all(seen)) servedBy(one, "s15-b");
    const [down = 0, up] = asked("s15");
    expect(up).toBe(20);
    // Five failures in a row open the breaker; calls already under way may still add theirs.
    expect(down).toBeLessThanOrEqual(8);
    result("S15", `60 s flap: 20 of 20 served, the one that was down asked ${down} times`);
  });

  test("S16 names the model, the usage and the price of the fallback that served", async () => {
    const [whole, seen] = [await gateway.ask("s16"), await gateway.stream("s16")];
    servedBy(seen, "s16-b");
    expect(seen.model).toBe("m");
    expect(seen.usage).toMatchObject({ prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 });
    expect(whole.headers.get("x-modelrig-served")).toBe("s16-b/m");
    expect(whole.body).toMatchObject({ model: "m", usage: { total_tokens: 12 } });
    // 12 tokens at the fallback's 3 $ per million; the first candidate would have cost a third.
    expect(whole.headers.get("x-modelrig-cost-usd")).toBe("0.000036000");
    result("S16", "model, usage and cost are the fallback's own");
  });
});
