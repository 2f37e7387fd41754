/**
 * The wire of Turso on this machine: Hrana over HTTP, JSON, as `@libsql/client/web` speaks it, on the embedded engine.
 * The Worker and the command line then have one code path for local and remote databases.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { ConnectionPool } from "./connection-pool.ts";
import { prepareDatabaseFile } from "./database-file.ts";
import { decodePipeline } from "./hrana-request.ts";
import { HranaStream, type StreamResult } from "./hrana-stream.ts";
import { HranaProtocolError } from "./hrana-value.ts";

export interface HranaServerOptions {
  readonly file: string;
  readonly host?: "127.0.0.1" | "::1" | undefined;
  /** 0 = any free port. */
  readonly port: number;
  /** What clients must present as a bearer token. */
  readonly token: string;
  /** How long a stream may lie idle before it is rolled back and closed. Default 10 000. */
  readonly streamIdleMs?: number | undefined;
}

export interface HranaServer {
  readonly url: string;
  readonly port: number;
  /** Ends requests in flight, rolls back open transactions, closes the file. */
  close(): Promise<void>;
}

const MOST_BODY_BYTES = 64 * 1024 * 1024;
const MOST_IDLE_STREAMS = 256;
const CLOSE_WAIT_MS = 5_000;

/** Rejects with `DatabaseFileError` for an unusable file, with the system's error where the port cannot be had. */
export async function startHranaServer(options: HranaServerOptions): Promise<HranaServer> {
  if (options.token === "") throw new RangeError("the local database needs a token");
  prepareDatabaseFile(options.file);
  const host = options.host ?? "127.0.0.1";
  const pool = new ConnectionPool(options.file);
  const streams = new IdleStreams(options.streamIdleMs ?? 10_000);
  const server = createServer((request, response) => {
    void serve(request, response, { tokenHash: digest(options.token), pool, streams, server });
  });
  // Longer than clients keep a socket, so that none is reused at the moment it is closed here.
  server.keepAliveTimeout = 75_000;
  await listening(server, options.port, host);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${port}`,
    port,
    close: async () => {
      await stopped(server);
      streams.closeAll();
      pool.close();
    },
  };
}

interface Serving {
  readonly tokenHash: Buffer;
  readonly pool: ConnectionPool;
  readonly streams: IdleStreams;
  readonly server: Server;
}

/** An answer in place of a result. */
class HttpError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

async function serve(request: IncomingMessage, response: ServerResponse, serving: Serving): Promise<void> {
  try {
    requireLocalHost(request, serving.server);
    const path = new URL(request.url ?? "/", "http://localhost").pathname;
    // How clients find out the version; the protobuf encodings are not offered.
    if (request.method === "GET" && (path === "/v2" || path === "/v3")) return answer(response, 200, {});
    requireToken(request, serving.tokenHash);
    if (request.method !== "POST" || (path !== "/v2/pipeline" && path !== "/v3/pipeline"))
      throw new HttpError(404, "NOT_FOUND", `no ${request.method} ${path} here`);
    answer(response, 200, await pipeline(parseJson(await readBody(request)), serving));
  } catch (cause) {
    if (cause instanceof HttpError) answer(response, cause.status, { message: cause.message, code: cause.code });
    else if (cause instanceof HranaProtocolError)
      answer(response, 400, { message: cause.message, code: "HRANA_PROTO_ERROR" });
    else answer(response, 500, { message: cause instanceof Error ? cause.message : String(cause), code: "INTERNAL" });
  }
}

async function pipeline(body: unknown, { pool, streams }: Serving): Promise<Record<string, unknown>> {
  const { baton, requests } = decodePipeline(body);
  const stream = baton === undefined ? new HranaStream(pool) : streams.resume(baton);
  const results: StreamResult[] = [];
  try {
    for (const request of requests) results.push(await stream.handle(request));
  } catch (cause) {
    stream.close();
    throw cause;
  }
  return { baton: stream.closed ? null : streams.park(stream), base_url: null, results };
}

/** Streams between two requests. A baton is good once: each answer brings the next. */
class IdleStreams {
  readonly #idleMs: number;
  readonly #parked = new Map<string, { readonly stream: HranaStream; readonly timer: NodeJS.Timeout }>();

  constructor(idleMs: number) {
    this.#idleMs = idleMs;
  }

  park(stream: HranaStream): string {
    if (this.#parked.size >= MOST_IDLE_STREAMS) {
      stream.close();
      throw new HttpError(503, "TOO_MANY_STREAMS", "too many open streams");
    }
    const baton = randomBytes(18).toString("base64url");
    const timer = setTimeout(() => {
      this.#parked.delete(baton);
      stream.close();
    }, this.#idleMs).unref();
    this.#parked.set(baton, { stream, timer });
    return baton;
  }

  resume(baton: string): HranaStream {
    const parked = this.#parked.get(baton);
    if (!parked) throw new HttpError(400, "STREAM_EXPIRED", "the baton is unknown, used before, or its stream expired");
    this.#parked.delete(baton);
    clearTimeout(parked.timer);
    return parked.stream;
  }

  closeAll(): void {
    for (const { stream, timer } of this.#parked.values()) {
      clearTimeout(timer);
      stream.close();
    }
    this.#parked.clear();
  }
}

/** A web page can make a browser send requests here under a name of its own; our clients never do. */
function requireLocalHost(request: IncomingMessage, server: Server): void {
  const { port } = server.address() as AddressInfo;
  const host = request.headers.host;
  if (host === `127.0.0.1:${port}` || host === `localhost:${port}` || host === `[::1]:${port}`) return;
  throw new HttpError(403, "FOREIGN_HOST", "this database answers on loopback only");
}

function requireToken(request: IncomingMessage, tokenHash: Buffer): void {
  const presented = /^Bearer (.+)$/i.exec(request.headers.authorization ?? "")?.[1];
  if (presented === undefined || !timingSafeEqual(digest(presented), tokenHash))
    throw new HttpError(401, "UNAUTHORIZED", "the token is missing or wrong");
}

async function readBody(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > MOST_BODY_BYTES) throw new HttpError(413, "TOO_LARGE", "the request body is larger than 64 MB");
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new HranaProtocolError("the request body is not JSON");
  }
}

function answer(response: ServerResponse, status: number, body: Record<string, unknown>): void {
  // What is left of a body that was not read to its end must not be taken for the next request.
  if (status === 413) response.setHeader("connection", "close");
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

function listening(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

function stopped(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), CLOSE_WAIT_MS).unref();
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
  });
}
