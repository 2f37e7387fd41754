/** The engine with a test's own providers: real fetch, real clock, envelopes kept in memory, everything recorded. */
import type { BreakerOutcome } from "../../../src/breaker/breaker.ts";
import type { CallInput, CallPolicy, CallResult, FrameStream } from "../../../src/call/call.ts";
import { executeCall } from "../../../src/call/execute.ts";
import type { Inference } from "../../../src/call/inference.ts";
import type { Admission, CallPorts } from "../../../src/call/ports.ts";
import { clockOf } from "../../../src/call/time/clock.ts";
import type { ReserveRequest, ReserveResult } from "../../../src/envelope/envelope.ts";
import type { NanoUsd } from "../../../src/money/nano-usd.ts";
import type { Price, PriceBook } from "../../../src/money/price.ts";
import type { ModelSpec, ProviderSpec, ProviderTable } from "../../../src/provider/provider.ts";
import type { Lane } from "../../../src/record/lane.ts";
import { DEFAULT_RETRY, DEFAULT_TIMEOUTS } from "../../../src/route/defaults.ts";
import type { Candidate } from "../../../src/route/route.ts";
import type { DialectName } from "../../../src/wire/chat.ts";
import { type ChatRequest, answerText as textOf } from "../../../src/wire/chat.ts";
import type { SchemaSubset } from "../../../src/wire/dialect.ts";
import type { WireFrame } from "../../../src/wire/stream-event.ts";

export const nodeClock = clockOf({
  now: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
});

/** One dollar per million tokens in, two out. */
export const PRICE: Price = { input: { base: 1, tiers: [] }, output: { base: 2, tiers: [] }, version: "test" };

export interface TestModel extends Partial<ModelSpec> {
  /** Provider name; the model is `<name>/m`. */
  readonly name: string;
  readonly baseUrl: string;
  readonly dialect?: DialectName;
  readonly apiKeyEnv?: string;
  readonly unpriced?: boolean;
  readonly schemaSubset?: SchemaSubset;
  readonly stopsBillingOnDisconnect?: string;
}

export interface BreakerReport {
  readonly candidate: string;
  readonly outcome: BreakerOutcome;
  readonly trip: boolean;
}

export interface TestEngine {
  readonly recorded: Inference[];
  readonly reports: BreakerReport[];
  readonly reservations: Map<string, { readonly worstCase: NanoUsd; actual?: NanoUsd | "unknown" | "released" }>;
  /** Candidate keys whose breaker is open, with milliseconds left. */
  readonly open: Map<string, number>;
  readonly ports: CallPorts;
  call(options?: CallOptions): Promise<CallResult>;
}

export interface CallOptions {
  readonly policy?: Partial<CallPolicy>;
  readonly budget?: CallInput["budget"];
  readonly request?: Partial<ChatRequest>;
  readonly stream?: boolean;
  readonly signal?: AbortSignal;
  readonly lane?: Lane;
  /** In place of the engine's own. */
  readonly ports?: Partial<CallPorts>;
}

export function candidate(name: string, more: Partial<Candidate> = {}): Candidate {
  return { key: `${name}/m`, provider: name, model: "m", params: {}, trial: false, ...more };
}

export function testEngine(
  models: readonly TestModel[],
  reserve: (request: ReserveRequest) => Promise<ReserveResult | "unreachable"> = async () => ({ granted: true }),
): TestEngine {
  const recorded: Inference[] = [];
  const reports: BreakerReport[] = [];
  const open = new Map<string, number>();
  const reservations: TestEngine["reservations"] = new Map();
  let ids = 0;
  const ports: CallPorts = {
    fetch,
    clock: nodeClock,
    random: () => 0,
    newId: (prefix) => `${prefix}_${ids++}`,
    providers: tableOf(models),
    registry: { find: () => [] },
    prices: booksOf(models),
    breakers: {
      admit: ({ candidate: key }): Admission => {
        const left = open.get(key);
        return left === undefined ? { admitted: true } : { admitted: false, retryAfterMs: left };
      },
      report: ({ candidate: key }, outcome, { trip }) =>
        void reports.push({ candidate: key, outcome, trip: trip === true }),
    },
    envelopes: {
      reserve: async (request) => {
        const result = await reserve(request);
        if (result !== "unreachable" && result.granted)
          reservations.set(request.reservationId, { worstCase: request.worstCase });
        return result;
      },
      settle: (id, actual) => close(id, actual ?? "unknown"),
      release: (id) => close(id, "released"),
    },
    recorder: { record: (inference) => void recorded.push(inference) },
    secret: (name) => (name === "PRESENT_KEY" ? "sk-present" : undefined),
    sim: true,
  };
  function close(id: string, actual: NanoUsd | "unknown" | "released"): void {
    const found = reservations.get(id);
    if (!found || found.actual !== undefined) throw new Error(`reservation ${id} was closed twice or never opened`);
    found.actual = actual;
  }
  return {
    recorded,
    reports,
    reservations,
    open,
    ports,
    call: (options = {}) => executeCall(inputOf(models, options), { ...ports, ...options.ports }),
  };
}

function inputOf(models: readonly TestModel[], options: CallOptions): CallInput {
  const request: ChatRequest = {
    messages: [{ role: "user", content: [{ type: "text", text: "hello" }] }],
    stream: options.stream ?? false,
    includeUsage: true,
    ...options.request,
  };
  return {
    context: { org: "org_test", lane: options.lane ?? "live", route: "test.route", variant: "default", tags: {} },
    policy: {
      candidates: models.map(({ name }) => candidate(name)),
      require: [],
      retry: DEFAULT_RETRY,
      timeouts: DEFAULT_TIMEOUTS,
      onContentFilter: "stop",
      allowUnpriced: false,
      allowTrial: false,
      stream: "live",
      ...options.policy,
    },
    budget: options.budget ?? { claims: [] },
    requestFor: () => request,
    stream: options.stream ?? false,
    signal: options.signal ?? new AbortController().signal,
  };
}

function tableOf(models: readonly TestModel[]): ProviderTable {
  const specs = models.map((model): ProviderSpec => {
    const spec: ModelSpec = { capabilities: {}, ...model, id: "m" };
    return {
      name: model.name,
      dialect: model.dialect ?? "openai-chat",
      baseUrl: model.baseUrl,
      apiKeyEnv: model.apiKeyEnv,
      capabilities: {},
      quirks: { schemaSubset: model.schemaSubset },
      stopsBillingOnDisconnect: model.stopsBillingOnDisconnect,
      models: { m: spec },
    };
  });
  const find = (name: string) => specs.find((spec) => spec.name === name);
  return { find, model: (provider, id) => find(provider)?.models[id], all: specs };
}

function booksOf(models: readonly TestModel[]): PriceBook {
  return {
    version: "test",
    find: (provider) => (models.find(({ name }) => name === provider)?.unpriced ? undefined : PRICE),
  };
}

/** Visible text of an answer, or of a stream read to its end. */
export async function textFrom(result: CallResult): Promise<string> {
  if (result.type === "answer") return result.answer.choices.map(textOf).join("");
  if (result.type === "failure") throw new Error(`the call failed: ${result.failure.class}: ${result.failure.message}`);
  const frames = await readAll(result.frames);
  return frames
    .flatMap((frame) => frame.events.map((event) => (event.type === "text-delta" ? event.text : "")))
    .join("");
}

export async function readAll(frames: FrameStream): Promise<WireFrame[]> {
  const all: WireFrame[] = [];
  for (let next = await frames.read(); next; next = await frames.read()) all.push(...next);
  return all;
}
