import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CallPolicy } from "../../../src/call/call.ts";
import { executeCall } from "../../../src/call/execute.ts";
import type { CallPorts } from "../../../src/call/ports.ts";
import { DEFAULT_RETRY } from "../../../src/route/defaults.ts";
import { narrow } from "../../../src/route/narrow.ts";
import type { Candidate, Route } from "../../../src/route/route.ts";
import type { ChatRequest } from "../../../src/wire/chat.ts";
import { candidate, readAll, testEngine } from "../../support/engine/engine.ts";

/** Every provider that exists; a route declares some of them. */
const WORLD = ["ant", "bee", "cat", "dog", "eel", "fox"] as const;
const PATIENT = { firstTokenMs: 1000, idleMs: 1000, attemptMs: 1000, callMs: 2000, streamMs: 2000 };

const ANSWERS = {
  fine: () =>
    Response.json({
      id: "1",
      model: "m",
      choices: [{ index: 0, message: { role: "assistant", content: '{"a":1}' }, finish_reason: "stop" }],
    }),
  prose: () =>
    Response.json({
      id: "1",
      model: "m",
      choices: [{ index: 0, message: { role: "assistant", content: "no" }, finish_reason: "stop" }],
    }),
  // A body that names others: nothing in it may steer the ladder.
  elsewhere: () =>
    Response.json(
      { error: { message: "use https://fox.test instead", code: "model_moved", param: "fox/m" } },
      { status: 503 },
    ),
  redirect: () => new Response(null, { status: 307, headers: { location: "https://fox.test/v1/chat/completions" } }),
  down: () => new Response("down", { status: 500 }),
  busy: () => Response.json({ error: { message: "busy" } }, { status: 429 }),
  overflow: () => Response.json({ error: { message: "too long", code: "context_length_exceeded" } }, { status: 400 }),
  broke: () => Response.json({ error: { message: "pay", code: "insufficient_quota" } }, { status: 429 }),
  gone: () => {
    throw new TypeError("fetch failed");
  },
  stream: () =>
    new Response('data: {"choices":[{"index":0,"delta":{"content":"{}"}}]}\n\n', {
      headers: { "content-type": "text/event-stream" },
    }),
} satisfies Record<string, () => Response>;

const declared = fc.uniqueArray(fc.constantFrom(...WORLD), { minLength: 1, maxLength: 4 });

const scenario = fc
  .record({
    names: declared,
    trial: fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
    variantOf: fc.subarray([...WORLD]),
    variant: fc.constantFrom("default", "narrow"),
    behaviour: fc.dictionary(
      fc.constantFrom(...WORLD),
      fc.constantFrom(...(Object.keys(ANSWERS) as (keyof typeof ANSWERS)[])),
    ),
    open: fc.subarray([...WORLD]),
    windows: fc.array(fc.option(fc.integer({ min: 1, max: 1e6 })), { minLength: 6, maxLength: 6 }),
    stream: fc.boolean(),
    schema: fc.boolean(),
    onContentFilter: fc.constantFrom("stop" as const, "next" as const),
    // What a caller may write anywhere in a request.
    words: fc.constantFrom("fox/m", "https://fox.test/v1", "eel", "m"),
  })
  .filter(({ names }) => names.length > 0);

function routeOf(candidates: readonly Candidate[], narrowed: readonly Candidate[]): Route {
  return {
    name: "acme.task",
    candidates,
    require: [],
    retry: DEFAULT_RETRY,
    timeouts: PATIENT,
    budget: {},
    allowUnpriced: false,
    stream: "live",
    onContentFilter: "stop",
    capture: false,
    variants: [{ name: "narrow", candidates: narrowed }],
    valueChecks: [],
    hash: "0",
  };
}

describe("the declared set", () => {
  it("is all that can ever serve, whatever the request, the variant, the answers and the breakers", async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async (given) => {
        const candidates = given.names.map((name, i) => candidate(name, { trial: given.trial[i] ?? false }));
        // A variant as a tampered bundle might carry it: it names candidates the route never declared.
        const route = routeOf(
          candidates,
          given.variantOf.map((name) => candidate(name)),
        );
        const narrowed = narrow(route, given.variant);
        if (!narrowed.ok) throw new Error(narrowed.error.message);

        const asked = new Set<string>();
        const engine = testEngine(
          WORLD.map((name, i) => ({
            name,
            baseUrl: `https://${name}.test/v1`,
            contextWindow: given.windows[i] ?? undefined,
          })),
        );
        for (const name of given.open) engine.open.set(`${name}/m`, 1000);
        const ports: CallPorts = {
          ...engine.ports,
          // Waits between retries pass at once; limits of time never fire.
          clock: {
            now: () => 0,
            after: () => () => undefined,
            sleep: (ms) => (ms > 60_000 ? new Promise(() => {}) : Promise.resolve()),
          },
          fetch: async (url) => {
            const { hostname } = new URL(url);
            const name = hostname.replace(".test", "") as (typeof WORLD)[number];
            asked.add(name);
            return ANSWERS[given.behaviour[name] ?? "fine"]();
          },
        };
        const request: ChatRequest = {
          messages: [{ role: "user", content: [{ type: "text", text: given.words }] }],
          user: given.words,
          serviceTier: "auto",
          stream: given.stream,
          includeUsage: false,
          native: {
            dialect: "openai-chat",
            body: {
              model: given.words,
              provider: given.words,
              base_url: given.words,
              models: [given.words],
              messages: [],
            },
          },
        };
        const policy: CallPolicy = {
          candidates: narrowed.value.candidates,
          require: route.require,
          retry: route.retry,
          timeouts: { ...PATIENT, firstTokenMs: 1e9, idleMs: 1e9, attemptMs: 1e9, callMs: 1e9, streamMs: 1e9 },
          output: given.schema
            ? { schema: { type: "object" }, name: "o", ladder: ["coached", "model_repair"] }
            : undefined,
          onContentFilter: given.onContentFilter,
          allowUnpriced: false,
          allowTrial: false,
          stream: "live",
        };
        const result = await executeCall(
          {
            context: { org: "o", lane: "live", route: route.name, tags: { model: given.words } },
            policy,
            budget: { claims: [] },
            requestFor: () => request,
            stream: given.stream,
            signal: new AbortController().signal,
          },
          ports,
        );
        if (result.type === "stream") await readAll(result.frames);

        const may = new Set(candidates.filter(({ trial }) => !trial).map(({ provider }) => provider));
        const mayHere =
          given.variant === "narrow"
            ? new Set([...may].filter((name) => given.variantOf.includes(name as never)))
            : may;
        for (const name of asked) expect(mayHere.has(name), `${name} was asked`).toBe(true);
        const served = engine.recorded[0]?.served;
        if (served) expect(mayHere.has(served.provider)).toBe(true);
        expect(engine.recorded).toHaveLength(1);
      }),
      { numRuns: 400 },
    );
  });
});
