/** A real HTTP server on a free loopback port, closed together with every connection it still has. */
import { createServer, type RequestListener } from "node:http";
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
