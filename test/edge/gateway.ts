/** A gateway in workerd with its real objects, the real database, and upstreams on loopback; counts its round trips. */
import { createExecutionContext, createMessageBatch, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { inject, vi } from "vitest";
import type { CompiledBundle, Config } from "../../src/config/config.ts";
import { DEFAULT_CONFIG } from "../../src/config/defaults.ts";
import type { ProviderSpec } from "../../src/provider/provider.ts";
import { DEFAULT_RETRY, DEFAULT_TIMEOUTS } from "../../src/route/defaults.ts";
import { type Candidate, type Route, RUNGS } from "../../src/route/route.ts";
import type { Env } from "../../workers/bindings.ts";
// Parts that the Worker loads on demand, loaded here: under test each is first compiled, longer than a key is waited for.
import "../../src/store/store.ts";
import "../../workers/control.ts";
import "../../workers/background/telemetry-consumer.ts";
import worker from "../../workers/index.ts";
import { expectDocumented } from "./documented.ts";

export interface Gateway {
  readonly env: Env;
  /** Requests made to Durable Objects and to the database since the last `resetTrips`. */
  readonly trips: { objects: number; database: number };
  resetTrips(): void;
  /** Sends a request; background work goes on and is awaited by `settled`. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  chat(body: Record<string, unknown>, init?: RequestInit): Promise<Response>;
  run(route: string, body: Record<string, unknown>, init?: RequestInit): Promise<Response>;
  /** Waits until the background work of every request so far is over, and delivers their telemetry. */
  settled(): Promise<void>;
}

export interface GatewayOptions {
  readonly routes?: readonly Route[];
  readonly providers?: readonly ProviderSpec[];
  readonly config?: Partial<Config>;
  readonly env?: Partial<Record<string, unknown>>;
  readonly key?: string | undefined;
}

export const user = (content: string) => [{ role: "user", content }];

export function candidate(key: string, more: Partial<Candidate> = {}): Candidate {
  const [provider = "", model = ""] = key.split("/");
  return { key, provider, model, params: {}, trial: false, ...more };
}

export function route(name: string, candidates: readonly (string | Candidate)[], more: Partial<Route> = {}): Route {
  return {
    name,
    candidates: candidates.map((one) => (typeof one === "string" ? candidate(one) : one)),
    require: [],
    retry: DEFAULT_RETRY,
    timeouts: DEFAULT_TIMEOUTS,
    budget: {},
    allowUnpriced: false,
    stream: "live",
    onContentFilter: "stop",
    capture: false,
    variants: [],
    valueChecks: [],
    hash: "0".repeat(64),
    ...more,
  };
}

export const ladder = RUNGS;

/** A provider on the loopback upstream. */
export function upstreamProvider(name: string, baseUrl: string, more: Partial<ProviderSpec> = {}): ProviderSpec {
  const price = {
    input: { base: 1, tiers: [] },
    output: { base: 2, tiers: [] },
    version: "test",
  };
  const capabilities = { native_strict: true, json_object: true, tools: true, vision: true };
  return {
    name,
    dialect: "openai-chat",
    baseUrl,
    capabilities,
    quirks: {},
    models: { "m-1": { id: "m-1", price, contextWindow: 100_000, maxOutput: 1_000, capabilities } },
    ...more,
  };
}

export function openGateway(options: GatewayOptions = {}): Gateway {
  const trips = { objects: 0, database: 0 };
  const compiled: CompiledBundle = {
    schema: "modelrig.compiled/1",
    routes: options.routes ?? [],
    config: { ...DEFAULT_CONFIG, ...options.config, providers: options.providers ?? [] },
  };
  const bindings = env as unknown as Env;
  const databaseUrl = inject("databaseUrl");
  countFetches(databaseUrl, trips);
  // The real queue would deliver to a Worker that knows nothing of this test's database; here `settled` delivers.
  const sent: unknown[] = [];
  const queue = { send: async (body: unknown) => void sent.push(structuredClone(body)) };
  const gatewayEnv = {
    ROUTE_BREAKER: counted(bindings.ROUTE_BREAKER, trips),
    SPEND_ENVELOPES: counted(bindings.SPEND_ENVELOPES, trips),
    TELEMETRY: queue,
    TURSO_DATABASE_URL: databaseUrl,
    TURSO_AUTH_TOKEN: inject("databaseToken"),
    MODELRIG_COMPILED: compiled,
    ...options.env,
  } as unknown as Env;
  const contexts: ExecutionContext[] = [];
  const key = "key" in options ? options.key : inject("key");
  const send = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const context = createExecutionContext();
    contexts.push(context);
    const headers = new Headers(init.headers);
    if (key !== undefined && !headers.has("authorization")) headers.set("authorization", `Bearer ${key}`);
    const response = await worker.fetch(
      new Request(`https://rig.example${path}`, { ...init, headers }) as Request<unknown, IncomingRequestCfProperties>,
      gatewayEnv,
      context,
    );
    await expectDocumented(init.method ?? "GET", path, response);
    return response;
  };
  const post = (path: string, body: unknown, init: RequestInit = {}): Promise<Response> =>
    send(path, { method: "POST", body: JSON.stringify(body), ...init });
  return {
    env: gatewayEnv,
    trips,
    resetTrips() {
      trips.objects = 0;
      trips.database = 0;
    },
    fetch: send,
    chat: (body, init) => post("/v1/chat/completions", body, init),
    run: (name, body, init) => post(`/v1/run/${name}`, body, init),
    async settled() {
      for (const context of contexts.splice(0)) await waitOnExecutionContext(context);
      const messages = sent
        .splice(0)
        .map((body, index) => ({ id: `${index}`, timestamp: new Date(), attempts: 1, body }));
      if (messages.length === 0) return;
      await worker.queue(createMessageBatch("modelrig-telemetry", messages), gatewayEnv);
    },
  };
}

/** Not `value.apply`: on the method of a stub that would be one more remote property. */
function call(value: unknown, target: object, args: unknown[]): unknown {
  return Reflect.apply(value as (...all: unknown[]) => unknown, target, args);
}

type Namespace = Env["ROUTE_BREAKER"] | Env["SPEND_ENVELOPES"];

/** The namespace, with every call on one of its stubs counted. */
function counted<T extends Namespace>(namespace: T, trips: Gateway["trips"]): T {
  const stub = (target: object): object =>
    new Proxy(target, {
      get(object, property) {
        const value = Reflect.get(object, property) as unknown;
        if (typeof value !== "function") return value;
        return (...args: unknown[]) => {
          trips.objects += 1;
          return call(value, object, args);
        };
      },
    });
  return new Proxy(namespace, {
    get(object, property) {
      const value = Reflect.get(object, property) as unknown;
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        const result = call(value, object, args);
        return property === "get" || property === "getByName" ? stub(result as object) : result;
      };
    },
  });
}

function countFetches(databaseUrl: string, trips: Gateway["trips"]): void {
  const real = globalThis.fetch;
  vi.stubGlobal("fetch", (input: RequestInfo | URL, init?: RequestInit) => {
    const url = input instanceof Request ? input.url : String(input);
    if (url.startsWith(databaseUrl)) trips.database += 1;
    return real(input, init);
  });
}

declare module "vitest" {
  export interface ProvidedContext {
    /** OpenAI-compatible upstream; its behaviour is chosen by the model's name. */
    upstreamUrl: string;
    /** A provider of every dialect; its answer is chosen by the model's name. */
    dialectsUrl: string;
    databaseUrl: string;
    databaseToken: string;
    /** A key with every scope. */
    key: string;
    /** Keys by what they may do; `keeper` and `acmeRows` (rows of client acme) are of the org `org_keeper`. */
    keys: Record<"callOnly" | "readOnly" | "oneRoute" | "revoked" | "expired" | "keeper" | "acmeRows", string>;
    org: string;
  }
}
