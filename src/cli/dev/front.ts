import { STATUS_CODES } from "node:http";
import { connect, createServer, type Server, type Socket } from "node:net";
import { type FramingFault, RequestFraming } from "./request-framing.ts";

/**
 * The socket that clients of `modelrig dev` connect to. It passes bytes to workerd and adds what workerd does not do on
 * its own: it tells a client that went away from one that is only silent (workerd notices a closed connection at its next
 * write, a reset at once); it can stop accepting while calls in flight go on; a client that still sends sees an answer
 * that came early; and a request that cannot be framed gets a JSON error.
 */
export interface Front {
  readonly port: number;
  /** No new connections; open ones live on. */
  stopAccepting(): void;
  /** Ends every connection that is still open. */
  close(): Promise<void>;
}

/** How long a client may go on sending after its last answer. */
const LINGER_MS = 30_000;

/** Asks for the body; the answer is still to come. */
const CONTINUE = /^HTTP\/1\.1 100 /;

/** Rejects with the socket's own error (`EADDRINUSE`, `EACCES`) when the address cannot be taken. */
export async function startFront(options: {
  readonly host: string;
  readonly port: number;
  readonly upstreamPort: () => number;
}): Promise<Front> {
  const open = new Set<Socket>();
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ port: options.upstreamPort(), host: "127.0.0.1", noDelay: true });
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on("close", () => open.delete(socket));
    }
    splice(client, upstream);
  });
  await listening(server, options.port, options.host);
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the listening socket has no port");
  return {
    port: address.port,
    stopAccepting: () => void server.close(),
    async close() {
      const closed = server.listening ? new Promise<void>((resolve) => server.close(() => resolve())) : undefined;
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

function splice(client: Socket, upstream: Socket): void {
  const framing = new RequestFraming();
  /** Something of the answer to the present request has come. */
  let answered = false;
  let refused = false;
  const send = (chunk: Buffer): void => {
    // An answer before the end of a body is a refusal: workerd reads no more of it, and closes.
    if (answered && !framing.atHead) refused = true;
    const { pass, fault } = framing.take(chunk);
    if (refused) return;
    if (pass.length > 0) answered = false;
    for (const bytes of pass) if (!upstream.write(bytes)) client.pause();
    if (fault) refuse(fault);
  };
  const refuse = (fault: FramingFault): void => {
    // What was passed on of a body that goes wrong in its middle may be answered already.
    if (framing.atHead || !answered) client.write(refusalOf(fault));
    linger();
    upstream.resetAndDestroy();
  };
  /** Ends the answers. What the client still sends is read: closing on it would reset the connection, and lose the answer. */
  const linger = (): void => {
    client.off("data", send);
    client.end();
    client.resume();
    const timer = setTimeout(() => client.destroy(), LINGER_MS).unref();
    client.on("close", () => clearTimeout(timer));
  };
  client.on("data", send);
  upstream.on("drain", () => client.resume());
  upstream.on("data", (chunk: Buffer) => {
    if (!CONTINUE.test(chunk.toString("latin1", 0, 16))) answered = true;
    // What waits to be written there is not read any more.
    client.resume();
  });
  upstream.pipe(client, { end: false });
  upstream.on("error", () => undefined);
  upstream.once("close", linger);
  for (const event of ["end", "error", "close"]) client.on(event, () => upstream.resetAndDestroy());
}

function refusalOf({ status, code, message }: FramingFault): string {
  const fields = { param: null, failure_class: "bad_request", inference_id: null, attempts: [] };
  const body = JSON.stringify({ error: { message, type: "invalid_request_error", code, ...fields } });
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(body)}`,
    ...(status === 405 ? ["allow: GET, HEAD, POST, PUT, DELETE, OPTIONS"] : []),
    "connection: close",
    "",
    body,
  ].join("\r\n");
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
