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
