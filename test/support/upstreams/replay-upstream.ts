/**
 * An upstream that answers with recorded traffic. The base URL chooses the exchange and how its bytes are cut:
 * `baseUrl(exchange)` sends them as recorded, `baseUrl(exchange, "bytes")` one byte per HTTP chunk.
 */
import type { ServerResponse } from "node:http";
import type { WireExchange } from "../wire/wire-exchanges.ts";
import { drained, listen } from "./http-server.ts";

export type Cut = "whole" | "bytes";

export interface ReplayUpstream {
  readonly url: string;
  /** A dialect's own path is appended by the caller, and is ignored here. */
  baseUrl(exchange: Pick<WireExchange, "key">, cut?: Cut): string;
  close(): Promise<void>;
}

/** Headers that described the recorded bytes, not those sent here. */
const OF_THE_CONNECTION = new Set([
  "content-length",
  "content-encoding",
  "transfer-encoding",
  "connection",
  "keep-alive",
]);

export async function startReplayUpstream(exchanges: readonly WireExchange[], port?: number): Promise<ReplayUpstream> {
  const byKey = new Map(exchanges.map((exchange) => [exchange.key, exchange]));
  const server = await listen((request, response) => {
    const [, cut, key] = (request.url ?? "").split("/").map(decodeURIComponent);
    const exchange = byKey.get(key ?? "");
    request.resume();
    if (!exchange) {
      response.writeHead(404).end(`no exchange ${key}`);
      return;
    }
    void send(exchange, cut === "bytes", response);
  }, port);
  return {
    ...server,
    baseUrl: ({ key }, cut = "whole") => `${server.url}/${cut}/${encodeURIComponent(key)}`,
  };
}

async function send(exchange: WireExchange, inBytes: boolean, response: ServerResponse): Promise<void> {
  const { status, headers, text } = exchange.response;
  const kept = Object.entries(headers).filter(([name]) => !OF_THE_CONNECTION.has(name.toLowerCase()));
  response.writeHead(status, Object.fromEntries(kept));
  const bytes = Buffer.from(text);
  if (!inBytes) {
    response.end(bytes);
    return;
  }
  for (let at = 0; at < bytes.length && !response.destroyed; at += 1) {
    if (!response.write(bytes.subarray(at, at + 1))) await drained(response);
  }
  response.end();
}
