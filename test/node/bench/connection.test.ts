import { createServer, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { Connection } from "../../bench/connection.ts";

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A server that writes the given pieces, one by one, for every request on a connection. */
async function serving(...pieces: readonly string[]): Promise<Connection> {
  const server = createServer((socket: Socket) => {
    socket.on("error", () => undefined);
    socket.on("data", async () => {
      for (const piece of pieces) {
        socket.write(piece);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const connection = await Connection.open(address.port);
  closers.push(
    () => connection.close(),
    () => void server.close(),
  );
  return connection;
}

const REQUEST = Buffer.from("POST / HTTP/1.1\r\ncontent-length: 0\r\n\r\n");

describe("the load generator's connection", () => {
  it.each([
    ["a length", ["HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"]],
    ["a length, head and body apart", ["HTTP/1.1 200 OK\r\nContent-", "Length: 5\r\n\r\n", "hel", "lo"]],
    ["chunks", ["HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n", "0\r\n\r\n"]],
    ["a last chunk cut in pieces", ["HTTP/1.1 200 OK\r\n\r\n5\r\nhello\r\n0", "\r\n", "\r\n"]],
  ])("knows the end of an answer with %s, and is used again", async (_what, pieces) => {
    const connection = await serving(...pieces);
    for (let round = 0; round < 2; round += 1) {
      const kept: Buffer[] = [];
      const { firstByteMs, totalMs } = await connection.exchange(REQUEST, kept);
      expect(Buffer.concat(kept).toString()).toBe(pieces.join(""));
      expect(firstByteMs).toBeLessThanOrEqual(totalMs);
    }
  });

  it("refuses to count an error as an answer", async () => {
    const connection = await serving("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 4\r\n\r\noops");
    await expect(connection.exchange(REQUEST)).rejects.toThrow("502");
  });
});
