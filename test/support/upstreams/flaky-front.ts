/** A proxy in front of a gateway that answers late, and sometimes not at all although the request arrived. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface FlakyFront {
  readonly url: string;
  readonly seen: readonly { readonly path: string; readonly body: string }[];
  /** Share of `/v1/ingest` answers that are lost on their way back, and how late the others are. */
  behave(how: { readonly lost: number; readonly lateMs: number }): void;
  close(): Promise<void>;
}

export async function startFlakyFront(target: string): Promise<FlakyFront> {
  const seen: { path: string; body: string }[] = [];
  let how = { lost: 0, lateMs: 0 };
  let asked = 0;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const path = request.url ?? "";
    seen.push({ path, body: body.toString("utf8") });
    const { host: _host, connection: _connection, "content-length": _length, ...headers } = request.headers;
    const answer = await fetch(`${target}${path}`, {
      method: request.method ?? "GET",
      headers: headers as Record<string, string>,
      ...(body.length > 0 ? { body } : {}),
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    await new Promise((resolve) => setTimeout(resolve, how.lateMs));
    asked += 1;
    if (path === "/v1/ingest" && how.lost > 0 && asked % Math.round(1 / how.lost) === 0) {
      response.destroy();
      return;
    }
    response
      .writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "text/plain" })
      .end(bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    behave(next) {
      how = next;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
