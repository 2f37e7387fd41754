/** A real HTTP server on a free loopback port, closed together with every connection it still has. */
import { createServer, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface RunningServer {
  /** Without trailing slash. */
  readonly url: string;
  close(): Promise<void>;
}

export async function listen(handler: RequestListener, port = 0): Promise<RunningServer> {
  const server = createServer(handler);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error ? reject(error) : resolve()));
        server.closeAllConnections();
      }),
  };
}

/** Resolves when the client took what was written, or went away. */
export function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      response.off("drain", settle);
      response.off("close", settle);
      resolve();
    };
    response.on("drain", settle);
    response.on("close", settle);
  });
}

/** Resolves after `ms`, or at once when the client goes away. */
export function pause(ms: number, response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      clearTimeout(timer);
      response.off("close", settle);
      resolve();
    };
    const timer = setTimeout(settle, ms);
    response.on("close", settle);
  });
}
