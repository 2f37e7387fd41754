/** What most sections need: the upstream, a Worker that only forwards, the gateway with its database, and load. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Miniflare } from "miniflare";
import { openLocalDatabase } from "../../src/cli/dev/local-database.ts";
import { startWorker } from "../../src/cli/dev/worker-host.ts";
import { compileAll } from "../../src/config/compile-all.ts";
import type { CompiledBundle } from "../../src/config/config.ts";
import { fakeIo } from "../support/hosts/fake-io.ts";
import type { Contestant } from "./compare.ts";
import type { Target } from "./connection.ts";
import { type LoadGenerator, startLoadGenerator, startUpstream, workerdChildren } from "./processes.ts";
import { type Shape, shapeName, WIRES, type Wire } from "./shapes.ts";

/** A running Worker and the process it runs in. */
export interface Hosted {
  readonly port: number;
  readonly pid: number;
  dispose(): Promise<void>;
}

/** The gateway and its yardsticks; `test/bench/workers` says what each of these does. */
export type Side = "forwarding" | "least" | "relabel" | "gateway";

export interface Stage {
  readonly load: LoadGenerator;
  readonly hosts: Readonly<Record<Side, Hosted>>;
  /** The same question to the upstream itself and through each Worker. */
  targets(question: Question): Readonly<Record<Side | "direct", Target>>;
  /** The same as those that take turns in a comparison. */
  contestants<Name extends Side>(question: Question, names: readonly Name[]): Readonly<Record<Name, Contestant>>;
  readonly upstreamPort: number;
  close(): Promise<void>;
}

export interface Question {
  /** Wire of the upstream. The gateway's client speaks OpenAI chat unless `client` says otherwise. */
  readonly wire: Wire;
  readonly shape: Shape;
  readonly stream: boolean;
  readonly client?: "openai" | "anthropic" | undefined;
  /** Of a provider whose streams pass unread, by a client of its dialect that asks for usage. */
  readonly unread?: boolean | undefined;
  /** Under limits of a run, a day and a month: the gateway reserves in three envelopes. */
  readonly enveloped?: boolean | undefined;
}

/** Every answer the sections ask for, one route each. */
const SHAPES: readonly Shape[] = [
  { events: 1, characters: 400 },
  { events: 200, characters: 16 },
  { events: 5000, characters: 16 },
  { events: 1, characters: 1000 },
  { events: 1000, characters: 1000 },
  { events: 10_000, characters: 1000 },
];

const BASE_PATH: Readonly<Record<Wire, string>> = { openai: "/v1", anthropic: "/v1", gemini: "/v1beta" };

export async function openStage(): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), "modelrig-bench-"));
  const upstream = await startUpstream();
  const load = startLoadGenerator();
  const database = await openLocalDatabase(fakeIo({ cwd: folder }), join(folder, "bench.db"));
  const yardstick = (name: Exclude<Side, "gateway">) => hosted(() => startYardstick(name, upstream.port, database));
  const forwarding = await yardstick("forwarding");
  const least = await yardstick("least");
  const relabel = await yardstick("relabel");
  const compiled = await compiledFor(upstream.port);
  const gateway = await hosted(() => startGateway(compiled, database, join(folder, "objects")));
  const hosts = { forwarding, least, relabel, gateway };
  const yardsticks = { forwarding: forwarding.port, least: least.port, relabel: relabel.port };
  const ports = { direct: upstream.port, ...yardsticks, gateway: gateway.port };
  const targets: Stage["targets"] = (question) => targetsOf(question, ports, database.key);
  return {
    load,
    hosts,
    targets,
    contestants<Name extends Side>(question: Question, names: readonly Name[]) {
      const asked = targets(question);
      const pairs = names.map((name) => [name, { pid: hosts[name].pid, target: asked[name] }] as const);
      return Object.fromEntries(pairs) as Record<Name, Contestant>;
    },
    upstreamPort: upstream.port,
    async close() {
      load.stop();
      await gateway.dispose();
      for (const { dispose } of [forwarding, least, relabel]) await dispose();
      await database.close();
      upstream.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Reached without Miniflare's own Worker in front, as the gateway is. */
export async function startYardstick(
  name: Exclude<Side, "gateway">,
  upstreamPort: number,
  database: { readonly url: string; readonly token: string },
): Promise<{ port: number; dispose(): Promise<void> }> {
  const worker = new Miniflare({
    ...{ host: "127.0.0.1", port: 0, cf: false, modules: true, compatibilityDate: "2026-07-30" },
    scriptPath: fileURLToPath(new URL(`./workers/${name}.js`, import.meta.url)),
    bindings: {
      UPSTREAM: `http://127.0.0.1:${upstreamPort}`,
      DATABASE_URL: database.url,
      DATABASE_TOKEN: database.token,
    },
    queueProducers: { TELEMETRY: "telemetry" },
    ...(name === "least" && { queueConsumers: { telemetry: { maxBatchSize: 100, maxBatchTimeout: 1 } } }),
    unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
  });
  return { port: Number((await worker.unsafeGetDirectURL()).port), dispose: () => worker.dispose() };
}

export function startGateway(
  compiled: CompiledBundle,
  database: { readonly url: string; readonly token: string },
  persist: string,
): ReturnType<typeof startWorker> {
  return startWorker({
    persist,
    bindings: {
      MODELRIG_COMPILED: compiled,
      TURSO_DATABASE_URL: database.url,
      TURSO_AUTH_TOKEN: database.token,
      BENCH_KEY: "bench",
    },
    log: (line) => console.error(line),
  });
}

async function hosted(start: () => Promise<{ port: number; dispose(): Promise<void> }>): Promise<Hosted> {
  const before = workerdChildren();
  const { port, dispose } = await start();
  const [pid, ...more] = [...workerdChildren()].filter((child) => !before.has(child));
  if (pid === undefined || more.length > 0) throw new Error("the process of the Worker was not found");
  return { port, pid, dispose: () => dispose() };
}

async function compiledFor(upstreamPort: number): Promise<CompiledBundle> {
  const models = SHAPES.map(
    (shape) => `      ${shapeName(shape)}: { price: { input_per_million: 0.15, output_per_million: 0.60 } }`,
  );
  const providers = [...WIRES, ...WIRES.map((wire) => `${wire}${UNREAD}` as const)].map((name) => {
    const wire = name.replace(UNREAD, "") as Wire;
    return [
      `  bench_${name}:`,
      `    dialect: ${wire}`,
      `    exact_streams: ${name !== wire}`,
      `    base_url: http://127.0.0.1:${upstreamPort}${BASE_PATH[wire]}`,
      "    api_key_env: BENCH_KEY",
      "    models:",
      ...models,
    ].join("\n");
  });
  const bundles = WIRES.flatMap((wire) =>
    SHAPES.flatMap((shape) => {
      const bundle = (kind: "" | typeof UNREAD | typeof ENVELOPED, more: string) => {
        const route = `${routeName(wire, shape)}${kind}`;
        const provider = `bench_${wire}${kind === UNREAD ? UNREAD : ""}`;
        const candidate = `{ provider: ${provider}, model: ${shapeName(shape)}, params: { max_tokens: 8000 } }`;
        return { file: `${route}.yaml`, text: `route: ${route}\n${PATIENT}candidates:\n  - ${candidate}\n${more}` };
      };
      return [bundle("", ""), bundle(UNREAD, ""), bundle(ENVELOPED, BUDGET)];
    }),
  );
  const config = { file: "modelrig.yaml", text: `providers:\n${providers.join("\n")}\n` };
  const result = await compileAll(bundles, config, { at: new Date(), readFile: () => undefined });
  if (!result.ok) throw new Error(JSON.stringify(result.error, null, 2));
  return result.value;
}

const ENVELOPED = "_enveloped";
const UNREAD = "_unread";
/** A busy machine must not end the bench. */
const PATIENT = "timeouts: { first_token_ms: 120000, idle_ms: 120000, attempt_ms: 120000, call_ms: 240000 }\n";
const BUDGET = "budget: { usd_per_run: 1000, usd_per_day: 1000, usd_per_month: 1000 }\n";

const routeName = (wire: Wire, shape: Shape): string => `bench.${wire}_${shapeName(shape)}`;

const MESSAGES = [
  { role: "system", content: "You answer in one short paragraph." },
  { role: "user", content: "What does a gateway do with a request that its first provider refuses?" },
];

function targetsOf(
  { wire, shape, stream, client = "openai", enveloped = false, unread = false }: Question,
  ports: Readonly<Record<Side | "direct", number>>,
  key: string,
): ReturnType<Stage["targets"]> {
  const asked = upstreamQuestion(wire, shape, stream);
  const kind = enveloped ? ENVELOPED : unread ? UNREAD : "";
  return {
    direct: { port: ports.direct, headers: {}, ...asked },
    forwarding: { port: ports.forwarding, headers: {}, ...asked },
    least: { port: ports.least, headers: {}, ...asked },
    relabel: { port: ports.relabel, headers: {}, ...asked },
    gateway: {
      port: ports.gateway,
      headers: { authorization: `Bearer ${key}`, ...(enveloped && { "x-modelrig-run": "bench" }) },
      path: client === "openai" ? "/v1/chat/completions" : "/v1/messages",
      body: JSON.stringify({
        ...{ model: `${routeName(wire, shape)}${kind}`, max_tokens: 4000, stream },
        ...(unread && client === "openai" && { stream_options: { include_usage: true } }),
        messages: client === "openai" ? MESSAGES : MESSAGES.slice(1),
      }),
      expect: stream ? (client === "openai" ? "data: [DONE]" : "message_stop") : "word word",
    },
  };
}

function upstreamQuestion(wire: Wire, shape: Shape, stream: boolean): Pick<Target, "path" | "body" | "expect"> {
  const model = shapeName(shape);
  const [, user] = MESSAGES;
  switch (wire) {
    case "openai": {
      const body = { model, max_tokens: 4000, stream, messages: MESSAGES };
      return {
        path: "/v1/chat/completions",
        body: JSON.stringify(body),
        expect: stream ? "data: [DONE]" : "word word",
      };
    }
    case "anthropic": {
      const body = { model, max_tokens: 4000, stream, messages: [user] };
      return { path: "/v1/messages", body: JSON.stringify(body), expect: stream ? "message_stop" : "word word" };
    }
    case "gemini": {
      const body = { contents: [{ role: "user", parts: [{ text: user!.content }] }] };
      const method = stream ? "streamGenerateContent" : "generateContent";
      return { path: `/v1beta/models/${model}:${method}`, body: JSON.stringify(body), expect: "STOP" };
    }
  }
}
