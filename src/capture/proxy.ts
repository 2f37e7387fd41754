/**
 * The capture proxy. Clients on this machine send requests to it; it forwards each to the gateway, returns every byte
 * of the answer as it arrives, and keeps a local copy of the calls whose route allows it. Forwarding never waits for
 * capturing and never fails because of it.
 */
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import { request as httpsRequest } from "node:https";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream";
import { parseExact } from "../json/exact-numbers.ts";
import type { ModelCapabilities } from "../provider/provider.ts";
import type { Capture } from "./capture.ts";
import { chatIngress } from "./chat-endpoints.ts";
import { captureOf, isReplay, type ProxiedCall, readCall } from "./exchange.ts";
import { isLoopbackCaller } from "./loopback.ts";
import { bodyText, Tee } from "./tee.ts";

export interface CaptureProxyOptions {
  /** Gateway URL; a `/v1` at its end is ignored, because clients add their own. */
  readonly upstream: string;
  readonly port: number;
  /** True when the route's bundle on this machine has `capture: true`. */
  readonly mayCapture: (route: string) => Promise<boolean>;
  /** Redacts and writes. An error is reported once and costs only the capture. */
  readonly keep: (capture: Capture) => void;
  readonly capabilitiesOf: (served: string) => ModelCapabilities | undefined;
  readonly warn: (message: string) => void;
  readonly newId: () => string;
  readonly now: () => number;
}

export interface CaptureProxy {
  readonly port: number;
  /** Resolves when every capture of a finished call is written. */
  readonly settled: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** A body larger than this is forwarded like any other, and not captured. */
const COPY_LIMIT_BYTES = 16 * 1024 * 1024;

/** Headers of one connection, not of the message (RFC 9110, section 7.6.1). */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Listens on 127.0.0.1. Rejects when the port is taken. */
export async function startCaptureProxy(options: CaptureProxyOptions): Promise<CaptureProxy> {
  const pending = new Set<Promise<void>>();
  let warned = false;
  const capture = (work: () => Promise<void>): void => {
    const task = work()
      .catch((cause: unknown) => {
        if (warned) return;
        warned = true;
        options.warn(`a call was served but not captured: ${cause instanceof Error ? cause.message : String(cause)}`);
      })
      .finally(() => pending.delete(task));
    pending.add(task);
  };
  const server = createServer((incoming, outgoing) => {
    if (!isLoopbackCaller(incoming.headers.host, incoming.headers.origin)) {
      return refuse(outgoing, 403, "this proxy serves callers on this machine only", "forbidden_origin");
    }
    forward(incoming, outgoing, options, capture);
  });
  // A streamed answer may take as long as the gateway allows.
  server.requestTimeout = 0;
  server.headersTimeout = 60_000;
  await listen(server, options.port);
  return {
    port: (server.address() as AddressInfo).port,
    settled: async () => {
      while (pending.size > 0) await Promise.all(pending);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function forward(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  options: CaptureProxyOptions,
  capture: (work: () => Promise<void>) => void,
): void {
  const at = options.now();
  const target = upstreamUrl(options.upstream, incoming.url ?? "/");
  const copies = isCapturable(target.pathname) && incoming.method === "POST" ? newCopies() : undefined;
  const send = target.protocol === "https:" ? httpsRequest : httpRequest;
  const upstream = send(target, {
    method: incoming.method,
    headers: [...endToEnd(incoming.rawHeaders), "host", target.host],
  });
  // When a client disconnects, its upstream call is stopped, so that an unread answer is not billed.
  outgoing.on("close", () => {
    if (!outgoing.writableFinished) upstream.destroy();
  });
  upstream.on("error", () => {
    if (outgoing.headersSent || outgoing.destroyed) outgoing.destroy();
    else refuse(outgoing, 502, `cannot reach the gateway at ${target.origin}`, "gateway_unreachable");
  });
  upstream.on("response", (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.statusMessage, endToEnd(answer.rawHeaders));
    outgoing.flushHeaders();
    if (copies) answer.on("data", (chunk: Buffer) => copies.response.add(chunk));
    pipeline(answer, outgoing, () => {
      if (copies) capture(() => keepExchange(target.pathname, incoming, answer, copies, at, options));
    });
  });
  if (copies) incoming.on("data", (chunk: Buffer) => copies.request.add(chunk));
  incoming.pipe(upstream);
}

interface Copies {
  readonly request: Tee;
  readonly response: Tee;
}

function newCopies(): Copies {
  return { request: new Tee(COPY_LIMIT_BYTES), response: new Tee(COPY_LIMIT_BYTES) };
}

async function keepExchange(
  path: string,
  incoming: IncomingMessage,
  answer: IncomingMessage,
  copies: Copies,
  at: number,
  options: CaptureProxyOptions,
): Promise<void> {
  const call = await observedCall(path, incoming, copies.request);
  if (!call || isReplay(call) || !(await options.mayCapture(call.route))) return;
  const bytes = copies.response.bytes();
  if (!bytes) throw new Error(`its answer is larger than ${COPY_LIMIT_BYTES} bytes`);
  const header = (name: string): string | undefined => {
    const value = answer.headers[name];
    return Array.isArray(value) ? value.join(", ") : value;
  };
  // A truncated answer cannot be decoded as a whole; it is still recorded as canceled.
  const text = answer.complete ? await bodyText(bytes, header("content-encoding")) : "";
  const status = answer.statusCode ?? 502;
  const observed = { status, header: answer.complete ? header : cutAnswer(header), text };
  const capture = captureOf(call, observed, { id: options.newId(), at, capabilitiesOf: options.capabilitiesOf });
  if (capture) options.keep(capture);
}

/** A truncated answer is treated as an unfinished stream, whatever it was. */
function cutAnswer(header: (name: string) => string | undefined) {
  return (name: string) => (name === "content-type" ? "text/event-stream" : header(name));
}

async function observedCall(path: string, incoming: IncomingMessage, copy: Tee): Promise<ProxiedCall | undefined> {
  const bytes = copy.bytes();
  if (!bytes) return undefined;
  const text = await bodyText(bytes, incoming.headers["content-encoding"]);
  try {
    const tags = incoming.headers["x-modelrig-tags"];
    return readCall(path, parseExact(text), Array.isArray(tags) ? tags.join(",") : tags);
  } catch {
    // Not JSON: the gateway has already returned that error to the caller.
    return undefined;
  }
}

function isCapturable(path: string): boolean {
  return path.startsWith("/v1/run/") || chatIngress(path) !== undefined;
}

function upstreamUrl(upstream: string, path: string): URL {
  return new URL(upstream.replace(/\/+$/, "").replace(/\/v1$/, "") + (path.startsWith("/") ? path : `/${path}`));
}

/** Returns the raw header list without the headers of the connection and without Host, which the caller sets. */
function endToEnd(raw: readonly string[]): string[] {
  const kept: string[] = [];
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = raw[index] ?? "";
    if (!HOP_BY_HOP.has(name.toLowerCase()) && name.toLowerCase() !== "host") kept.push(name, raw[index + 1] ?? "");
  }
  return kept;
}

function refuse(outgoing: ServerResponse, status: number, message: string, code: string): void {
  const body = JSON.stringify({ error: { message, type: "capture_proxy", code, param: null } });
  outgoing.writeHead(status, { "content-type": "application/json", connection: "close" }).end(body);
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => resolve());
  });
}
