import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { type Front, startFront } from "../../../src/cli/dev/front.ts";

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function fronted(
  handler: (request: IncomingMessage, end: (text: string) => void) => void,
): Promise<Front & { url: string }> {
  const server = createServer((request, response) => handler(request, (text) => response.end(text)));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => server.close());
  const upstreamPort = (server.address() as AddressInfo).port;
  const front = await startFront({ host: "127.0.0.1", port: 0, upstreamPort: () => upstreamPort });
  closers.push(() => front.close());
  return { ...front, url: `http://127.0.0.1:${front.port}` };
}

/** All that is answered until the connection ends. */
async function exchange(port: number, ...pieces: readonly string[]): Promise<string> {
  const client = connect({ port, host: "127.0.0.1", noDelay: true });
  let answer = "";
  client.on("data", (chunk) => {
    answer += String(chunk);
  });
  const ended = new Promise<void>((resolve, reject) => client.once("close", () => resolve()).once("error", reject));
  for (const piece of pieces) await new Promise<void>((resolve) => client.write(piece, "latin1", () => resolve()));
  await ended;
  return answer;
}

describe("the front of modelrig dev", () => {
  test("passes bodies of any size both ways", async () => {
    const front = await fronted(async (request, end) => {
      let text = "";
      for await (const chunk of request) text += String(chunk);
      end(text);
    });
    const body = "x".repeat(3_000_000);
    const response = await fetch(front.url, { method: "POST", body });
    expect(await response.text()).toBe(body);
  });

  test("turns a client that closed its connection into a reset, while the server is still silent", async () => {
    let aborted: (() => void) | undefined;
    const seen = new Promise<void>((resolve) => {
      aborted = resolve;
    });
    const front = await fronted((request) => request.socket.on("error", () => aborted?.()));
    const client = connect(front.port, "127.0.0.1");
    client.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
    await pause(100);
    client.end();
    await seen;
  });

  test("lets a client that still sends see the answer that came early", async () => {
    const server = createServer((_request, response) => {
      response.writeHead(413, { connection: "close", "content-length": 9 }).write("too large");
      // As workerd does: it waits a moment, then closes on what it has not read.
      setTimeout(() => response.socket?.destroy(), 200);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    closers.push(() => server.close());
    const upstreamPort = (server.address() as AddressInfo).port;
    const front = await startFront({ host: "127.0.0.1", port: 0, upstreamPort: () => upstreamPort });
    closers.push(() => front.close());
    for (let again = 0; again < 8; again += 1) {
      const body = "x".repeat(8_000_000);
      const response = await fetch(`http://127.0.0.1:${front.port}`, { method: "POST", body });
      expect([response.status, await response.text()]).toEqual([413, "too large"]);
    }
  });

  test.each([
    ["two lengths", "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}", 400],
    ["the same length twice", "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\nContent-Length: 2\r\n\r\n{}", 400],
    ["a list of lengths", "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 2, 2\r\n\r\n{}", 400],
    ["a length that is no number", "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n{}", 400],
    [
      "a length and chunks",
      "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
      400,
    ],
    ["another coding", "POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 400],
    ["no coding at all", "POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: identity\r\n\r\n", 400],
    ["a chunk without a size", "POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n\r\n", 400],
    ["CONNECT", "CONNECT example.com:443 HTTP/1.1\r\nhost: example.com:443\r\n\r\n", 405],
    ["an unknown method", "FOO / HTTP/1.1\r\nhost: x\r\n\r\n", 405],
    ["another target than a path", "OPTIONS * HTTP/1.1\r\nhost: x\r\n\r\n", 400],
    ["a broken request line", "NONSENSE\r\n\r\n", 400],
    ["a broken header line", "GET / HTTP/1.1\r\nhost: x\r\nbroken\r\n\r\n", 400],
    ["no Host", "GET / HTTP/1.1\r\n\r\n", 400],
    ["TLS", "\u0016\u0003\u0001\u0002", 400],
    ["endless headers", `GET / HTTP/1.1\r\nhost: x\r\nz: ${"a".repeat(70_000)}`, 431],
  ])("refuses a request with %s in JSON", async (_what, text, status) => {
    const front = await fronted(
      (request, end) =>
        void request
          .on("error", () => undefined)
          .resume()
          .on("end", () => end("passed")),
    );
    const answer = await exchange(front.port, text);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    const body = JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")));
    expect(body.error).toMatchObject({
      message: expect.any(String),
      code: expect.any(String),
      failure_class: "bad_request",
    });
  });

  test("passes requests of one connection, whole and byte by byte, with lengths and with chunks", async () => {
    const seen: string[] = [];
    const front = await fronted(async (request, end) => {
      let body = "";
      for await (const chunk of request) body += String(chunk);
      seen.push(`${request.method} ${body}`);
      end("ok");
    });
    const text = [
      "GET /a HTTP/1.1\r\nhost: x\r\n\r\n",
      "POST /b HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\n\r\nGET ",
      "POST /c HTTP/1.1\r\nhost: x\r\ntransfer-encoding: Chunked\r\n\r\n3;x=1\r\nabc\r\n0A\r\n0123456789\r\n0\r\nt: 1\r\n\r\n",
      "DELETE /d HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n",
    ].join("");
    for (const pieces of [[text], [...text]]) {
      const answer = await exchange(front.port, ...pieces);
      expect(answer.match(/HTTP\/1\.1 200/g)).toHaveLength(4);
      expect(seen.splice(0)).toEqual(["GET ", "POST GET ", "POST abc0123456789", "DELETE "]);
    }
  });

  test("stops accepting while an open call is still answered", async () => {
    let answer: ((text: string) => void) | undefined;
    const front = await fronted((_request, end) => {
      answer = end;
    });
    const open = fetch(front.url);
    await pause(100);
    front.stopAccepting();
    await expect(fetch(front.url)).rejects.toThrow();
    answer?.("late");
    expect(await (await open).text()).toBe("late");
  });

  test("rejects with the socket's own error when the port is taken", async () => {
    const front = await fronted((_request, end) => end("x"));
    const second = startFront({ host: "127.0.0.1", port: front.port, upstreamPort: () => 1 });
    await expect(second).rejects.toMatchObject({ code: "EADDRINUSE" });
  });
});
