/** `modelrig dev` with a test's own providers and routes, and a client that sees what goes over the wire. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createParser } from "eventsource-parser";
import { type DevProcess, freshFolder, startDev } from "./dev-process.ts";

export interface GatewayFiles {
  /** As under `providers` of `modelrig.yaml`. */
  readonly providers: Readonly<Record<string, unknown>>;
  /** Route bundles without their name, by name. */
  readonly routes: Readonly<Record<string, unknown>>;
  /** Further keys of `modelrig.yaml`. */
  readonly config?: Readonly<Record<string, unknown>>;
  readonly env?: Record<string, string>;
  /** Arguments of `modelrig dev`. */
  readonly args?: readonly string[];
}

export interface StreamSeen {
  readonly status: number;
  readonly headers: Headers;
  /** Joined text of choice 0. */
  readonly text: string;
  readonly model: string | undefined;
  readonly finish: string | undefined;
  readonly usage: Record<string, unknown> | undefined;
  readonly error: Record<string, unknown> | undefined;
  /** `[DONE]` came. */
  readonly done: boolean;
  /** The connection broke instead of ending. */
  readonly broken: boolean;
  /** Milliseconds from the request to the first text, and to the end. */
  readonly firstTextMs: number | undefined;
  readonly totalMs: number;
}

export interface DevGateway {
  readonly dev: DevProcess;
  post(body: Record<string, unknown>, init?: RequestInit): Promise<Response>;
  /** A whole answer, read as JSON. */
  ask(model: string, more?: Record<string, unknown>): Promise<Answer>;
  stream(model: string, more?: Record<string, unknown>): Promise<StreamSeen>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: an answer of whatever shape is compared, never trusted
  readonly body: any;
  readonly totalMs: number;
}

/** Writes the project folder; JSON is YAML. */
export function gatewayFolder({
  providers,
  routes,
  config,
}: Pick<GatewayFiles, "providers" | "routes" | "config">): string {
  const cwd = freshFolder();
  mkdirSync(join(cwd, "routes"));
  writeFileSync(join(cwd, "modelrig.yaml"), JSON.stringify({ providers, ...config }));
  for (const [route, bundle] of Object.entries(routes))
    writeFileSync(join(cwd, "routes", `${route}.yaml`), JSON.stringify({ route, ...(bundle as object) }));
  return cwd;
}

export async function startGateway(files: GatewayFiles): Promise<DevGateway> {
  const dev = await startDev(files.args ?? [], { cwd: gatewayFolder(files), env: files.env ?? {} });
  return gatewayClient(dev);
}

export function gatewayClient(dev: DevProcess): DevGateway {
  const post = (body: Record<string, unknown>, init: RequestInit = {}): Promise<Response> =>
    fetch(`${dev.ready.url}/v1/chat/completions`, {
      method: "POST",
      body: JSON.stringify({ messages: [{ role: "user", content: "hello" }], ...body }),
      ...init,
      headers: { authorization: `Bearer ${dev.ready.key}`, "content-type": "application/json", ...init.headers },
    });
  return {
    dev,
    post,
    async ask(model, more = {}) {
      const startedAt = performance.now();
      const response = await post({ model, ...more });
      const { status, headers } = response;
      return { status, headers, body: await response.json(), totalMs: performance.now() - startedAt };
    },
    async stream(model, more = {}) {
      const startedAt = performance.now();
      const response = await post({ model, stream: true, stream_options: { include_usage: true }, ...more });
      return await readStream(response, startedAt);
    },
  };
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** An error answer in JSON counts as a stream that holds nothing but its error. */
export async function readStream(response: Response, startedAt = performance.now()): Promise<StreamSeen> {
  const { status, headers } = response;
  const seen: Mutable<StreamSeen> = {
    ...{ status, headers, text: "", model: undefined, finish: undefined, usage: undefined, error: undefined },
    ...{ done: false, broken: false, firstTextMs: undefined, totalMs: 0 },
  };
  if (!headers.get("content-type")?.includes("event-stream")) {
    const body = (await response.json()) as { error?: Record<string, unknown> };
    seen.error = body.error;
    return { ...seen, totalMs: performance.now() - startedAt };
  }
  const parser = createParser({ onEvent: ({ data }) => note(data, seen, startedAt) });
  const decoder = new TextDecoder();
  try {
    for await (const chunk of response.body ?? []) parser.feed(decoder.decode(chunk, { stream: true }));
  } catch {
    seen.broken = true;
  }
  return { ...seen, totalMs: performance.now() - startedAt };
}

interface Chunk {
  readonly model?: string;
  readonly error?: Record<string, unknown>;
  readonly usage?: Record<string, unknown> | null;
  readonly choices?: readonly { readonly delta?: { readonly content?: string }; readonly finish_reason?: string }[];
}

function note(data: string, seen: Mutable<StreamSeen>, startedAt: number): void {
  if (data === "[DONE]") {
    seen.done = true;
    return;
  }
  const { model, error, usage, choices } = JSON.parse(data) as Chunk;
  const [choice] = choices ?? [];
  seen.model = model ?? seen.model;
  seen.error = error ?? seen.error;
  seen.usage = usage ?? seen.usage;
  seen.finish = choice?.finish_reason ?? seen.finish;
  if (!choice?.delta?.content) return;
  seen.firstTextMs ??= performance.now() - startedAt;
  seen.text += choice.delta.content;
}
