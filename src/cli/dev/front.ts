import { connect, createServer, type Server, type Socket } from "node:net";

/**
 * The socket that clients of `modelrig dev` connect to. It splices bytes to workerd and adds the two things workerd
 * does not do on its own: it tells a client that went away from one that is only silent (workerd notices a closed
 * connection at its next write, a reset at once), and it can stop accepting while calls in flight go on.
 */
export interface Front {
  readonly port: number;
  /** No new connections; open ones live on. */
  stopAccepting(): void;
  /** Ends every connection that is still open. */
  close(): Promise<void>;
}

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
    client.pipe(upstream, { end: false });
    upstream.pipe(client);
    client.on("end", () => upstream.resetAndDestroy());
    client.on("error", () => upstream.resetAndDestroy());
    client.on("close", () => upstream.resetAndDestroy());
    upstream.on("error", () => client.destroy());
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

function listening(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
}
