/**
 * The wire of Turso on this machine: Hrana over HTTP, JSON, as `@libsql/client/web` speaks it, on the embedded engine.
 * The Worker and the command line then have one code path for local and remote databases.
 */
import { isUtf8 } from "node:buffer";
import { createHash, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { EngineProcess } from "./engine-process.ts";
import { HranaHttpError, hranaErrorAnswer } from "./hrana-error.ts";
import { HranaProtocolError } from "./hrana-value.ts";
import type { HranaAnswer, HranaEndpoint } from "./process-messages.ts";

export interface HranaServerOptions {
  readonly file: string;
  readonly host?: "127.0.0.1" | "::1" | undefined;
  /** 0 = any free port. */
  readonly port: number;
  /** What clients must present as a bearer token. */
  readonly token: string;
  /** How long a stream may lie idle before it is rolled back and closed. Default 10 000. */
  readonly streamIdleMs?: number | undefined;
  /** How long one request may keep the engine before it is interrupted. Default 120 000. */
  readonly requestLimitMs?: number | undefined;
  /** Takes one line where the engine's process ended and was started again. */
  readonly log?: ((line: string) => void) | undefined;
}

export interface HranaServer {
  readonly url: string;
  readonly port: number;
  /** Ends requests in flight, rolls back open transactions, closes the file. */
  close(): Promise<void>;
}

const MOST_BODY_BYTES = 64 * 1024 * 1024;
const CLOSE_WAIT_MS = 5_000;

/** Rejects with `DatabaseFileError` for an unusable file, with the system's error where the port cannot be had. */
export async function startHranaServer(options: HranaServerOptions): Promise<HranaServer> {
  if (options.token === "") throw new RangeError("the local database needs a token");
  const host = options.host ?? "127.0.0.1";
  const engine = await EngineProcess.start({
    file: options.file,
    streamIdleMs: options.streamIdleMs ?? 10_000,
    requestLimitMs: options.requestLimitMs ?? 120_000,
    log: options.log ?? (() => undefined),
  });
  const tokenHash = digest(options.token);
  const server = createServer((request, response) => {
    void serve(request, response, { tokenHash, engine, server });
  });
  // Longer than clients keep a socket, so that none is reused at the moment it is closed here.
  server.keepAliveTimeout = 75_000;
  try {
    await listening(server, options.port, host);
  } catch (cause) {
    await engine.close();
    throw cause;
  }
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${port}`,
    port,
    close: async () => {
      await stopped(server);
      await engine.close();
    },
  };
}

interface Serving {
  readonly tokenHash: Buffer;
  readonly engine: EngineProcess;
  readonly server: Server;
}

const ENDPOINTS: Readonly<Record<string, HranaEndpoint>> = {
  "/v2/pipeline": "pipeline",
  "/v3/pipeline": "pipeline",
  "/v3/cursor": "cursor",
};

async function serve(request: IncomingMessage, response: ServerResponse, serving: Serving): Promise<void> {
  try {
    requireLocalHost(request, serving.server);
    const path = new URL(request.url ?? "/", "http://localhost").pathname;
    // How clients find out the version; the protobuf encodings are not offered.
    if (request.method === "GET" && (path === "/v2" || path === "/v3"))
      return answer(response, { status: 200, body: "{}" });
    requireToken(request, serving.tokenHash);
    const endpoint = ENDPOINTS[path];
    if (request.method !== "POST" || endpoint === undefined)
      throw new HranaHttpError(404, "NOT_FOUND", `no ${request.method} ${path} here`);
    const gone = new AbortController();
    response.on("close", () => gone.abort());
    const given = await serving.engine.answer(endpoint, await readBody(request), gone.signal);
    // A cursor is a document a line, not one document.
    answer(response, given, endpoint === "cursor" && given.status === 200 ? "application/x-ndjson" : undefined);
  } catch (cause) {
    answer(response, hranaErrorAnswer(cause));
  }
}

/** A web page can make a browser send requests here under a name of its own; our clients never do. */
function requireLocalHost(request: IncomingMessage, server: Server): void {
  const { port } = server.address() as AddressInfo;
  const host = request.headers.host;
  if (host === `127.0.0.1:${port}` || host === `localhost:${port}` || host === `[::1]:${port}`) return;
  throw new HranaHttpError(403, "FOREIGN_HOST", "this database answers on loopback only");
}

function requireToken(request: IncomingMessage, tokenHash: Buffer): void {
  const presented = /^Bearer (.+)$/i.exec(request.headers.authorization ?? "")?.[1];
  if (presented === undefined || !timingSafeEqual(digest(presented), tokenHash))
    throw new HranaHttpError(401, "UNAUTHORIZED", "the token is missing or wrong");
}

/** A body over the limit is read to its end all the same: a client that still sends would see a reset, not the answer. */
async function readBody(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size <= MOST_BODY_BYTES) pieces.push(piece);
    else pieces.length = 0;
  }
  if (size > MOST_BODY_BYTES) throw new HranaHttpError(413, "TOO_LARGE", "the request body is larger than 64 MB");
  const body = Buffer.concat(pieces);
  if (!isUtf8(body)) throw new HranaProtocolError("the request body is not UTF-8");
  return body.toString("utf8");
}

function answer(response: ServerResponse, { status, body }: HranaAnswer, type = "application/json"): void {
  response.writeHead(status, { "content-type": type }).end(body);
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
