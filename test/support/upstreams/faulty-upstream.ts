/**
 * A real HTTP server that answers chat completions as well or as badly as its URL says.
 *
 * The first path segment is the scenario: kinds of `faults.ts` joined by commas, one per request, the last one for all
 * further ones: a provider with base URL `${url}/status:500,ok/v1` fails once. `@name` at its end keeps two users of the
 * same scenario apart. An argument with commas is URL-encoded once (`say:%7B%22a%22%3A1%2C…`). The header `x-fault` chooses instead of the URL. Control, for tests that live in another process:
 * `GET /__requests[?scenario=S]` lists what came as JSON, `POST /__reset` forgets it.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { type Asked, type ChatBody, FAULTS } from "../engine/faults.ts";
import { listen, pause } from "./http-server.ts";

export interface ReceivedRequest {
  readonly scenario: string;
  /** The kind that answered it. */
  readonly kind: string;
  readonly method: string;
  /** Path after the scenario. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed JSON, or the text where it was none. */
  readonly body: unknown;
  /** Epoch milliseconds. */
  readonly at: number;
  /** The client closed the connection before the answer was finished, and when. */
  readonly abortedAt?: number | undefined;
}

export interface FaultyUpstream {
  readonly url: string;
  /** Everything received, or what one scenario received, oldest first. */
  requests(scenario?: string): readonly ReceivedRequest[];
  reset(): void;
  close(): Promise<void>;
}

export async function startFaultyUpstream(port?: number): Promise<FaultyUpstream> {
  let received: Mutable<ReceivedRequest>[] = [];
  const reset = (): void => {
    received = [];
  };
  const requests = (scenario?: string): readonly ReceivedRequest[] =>
    scenario === undefined ? received : received.filter((request) => request.scenario === scenario);

  const server = await listen((incoming, response) => {
    void handle(incoming, response).catch((error: unknown) => response.destroy(error as Error));
  }, port);

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(incoming.url ?? "/", server.url);
    if (pathname === "/__requests") {
      const scenario = searchParams.get("scenario") ?? undefined;
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(requests(scenario)));
      return;
    }
    if (pathname === "/__reset") {
      reset();
      response.writeHead(204).end();
      return;
    }
    const [, segment = "", ...rest] = pathname.split("/");
    const header = incoming.headers["x-fault"];
    const scenario = typeof header === "string" ? header : segment;
    // Counted before the body is read, so that parallel requests keep their order of arrival.
    const record: Mutable<ReceivedRequest> = {
      scenario,
      kind: kindFor(scenario, requests(scenario).length),
      method: incoming.method ?? "",
      path: `/${rest.join("/")}`,
      headers: Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)])),
      body: undefined,
      at: Date.now(),
    };
    received.push(record);
    response.once("close", () => {
      if (!response.writableFinished && !brokenOff.has(response)) record.abortedAt = Date.now();
    });
    record.body = await readBody(incoming);
    await answer(record, response);
  }

  return { url: server.url, close: server.close, requests, reset };
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** Answers whose connection this side broke: their end is no abort of the client. */
const brokenOff = new WeakSet<ServerResponse>();

function kindFor(scenario: string, earlier: number): string {
  const kinds = scenario.replace(/@.*$/, "").split(",");
  return decodeURIComponent(kinds[Math.min(earlier, kinds.length - 1)] ?? "ok");
}

async function answer(record: ReceivedRequest, response: ServerResponse): Promise<void> {
  const [name = "", ...more] = record.kind.split(":");
  const kind = FAULTS[name];
  if (kind === undefined) {
    response.writeHead(404).end(`no fault is named ${name}; there are ${Object.keys(FAULTS).join(", ")}`);
    return;
  }
  const argument = more.length === 0 ? undefined : more.join(":");
  const asked: Asked = {
    response,
    body: typeof record.body === "object" && record.body !== null ? (record.body as ChatBody) : undefined,
    argument,
    number: (fallback) => (argument === undefined || argument === "" ? fallback : Number(argument)),
    breakOff: (how) => {
      brokenOff.add(response);
      if (how === "reset") response.socket?.resetAndDestroy();
      else response.destroy();
    },
    pause: (ms) => pause(ms, response),
  };
  await kind(asked);
}

async function readBody(incoming: IncomingMessage): Promise<unknown> {
  const pieces: Buffer[] = [];
  for await (const piece of incoming) pieces.push(piece as Buffer);
  const text = Buffer.concat(pieces).toString("utf8");
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
