import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate } from "node:timers/promises";

/**
 * An OpenAI-compatible upstream on loopback whose behaviour is chosen by the model's name, for tests that run in
 * workerd and cannot script it from inside. `GET /seen?marker=…` answers what it saw of requests that hold the marker.
 *
 * - `echo…`: answers with the last user message; streamed in pieces of four characters where asked
 * - `status-N`: an error of that status, with `retry-after: 7` where it is 429
 * - `cut`: two pieces of content, then the connection is destroyed
 * - `stall`: one piece of content, then silence until the client leaves
 * - `silent`: headers never come
 * - `reset`: the connection is reset before any byte
 * - `many-N`: a stream of N pieces
 * - `scripted`: the stream that the last user message describes, a `ScriptedStream` as JSON
 */
export interface BehavingUpstream {
  readonly baseUrl: string;
  close(): Promise<void>;
}

export interface Seen {
  readonly requests: readonly { readonly headers: Record<string, string>; readonly body: Record<string, unknown> }[];
  readonly abandoned: number;
}

/** The text of a stream, written in one go or byte by byte, and what follows it. */
export interface ScriptedStream {
  readonly text: string;
  readonly bytewise?: boolean;
  readonly end: "done" | "cut" | "stall";
}

interface Entry {
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
  abandoned: boolean;
}

const USAGE = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };

export async function startBehavingUpstream(): Promise<BehavingUpstream> {
  const entries: Entry[] = [];
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? "/", "http://upstream");
    if (request.method === "GET") return seen(entries, url.searchParams.get("marker") ?? "", response);
    let text = "";
    for await (const chunk of request) text += String(chunk);
    const entry: Entry = { headers: request.headers, text, abandoned: false };
    entries.push(entry);
    response.on("close", () => {
      entry.abandoned = !response.writableFinished;
    });
    behave(JSON.parse(text) as ChatBody, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface ChatBody {
  readonly model: string;
  readonly stream?: boolean;
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

function seen(entries: readonly Entry[], marker: string, response: ServerResponse): void {
  const matching = entries.filter(({ text }) => text.includes(marker));
  const requests = matching.map(({ headers, text }) => ({ headers, body: JSON.parse(text) as unknown }));
  const abandoned = matching.filter((entry) => entry.abandoned).length;
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ requests, abandoned }));
}

function behave(body: ChatBody, response: ServerResponse): void {
  const { model } = body;
  const [, number = "0"] = /-(\d+)$/.exec(model) ?? [];
  if (model === "silent") return;
  if (model === "reset") return void response.socket?.resetAndDestroy();
  if (model.startsWith("status-")) refuse(Number(number), response);
  else if (model === "cut") stream(response, ["Hel", "lo"], "cut");
  else if (model === "stall") stream(response, ["Hel"], "stall");
  else if (model === "scripted") void scripted(JSON.parse(lastUserMessage(body)) as ScriptedStream, response);
  else if (model.startsWith("many-"))
    stream(
      response,
      Array.from({ length: Number(number) }, (_, index) => `${index} `),
    );
  else echo(body, response);
}

function echo(body: ChatBody, response: ServerResponse): void {
  const { model } = body;
  const text = lastUserMessage(body);
  if (body.stream) {
    stream(response, text.match(/[\s\S]{1,4}/g) ?? []);
    return;
  }
  const choices = [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }];
  const answer = { id: "up-1", object: "chat.completion", created: 1, model, choices, usage: USAGE };
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
}

function lastUserMessage({ messages }: ChatBody): string {
  return String(messages.findLast(({ role }) => role === "user")?.content ?? "");
}

async function scripted({ text, bytewise, end }: ScriptedStream, response: ServerResponse): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const bytes = Buffer.from(text);
  for (const piece of bytewise ? Array.from(bytes, (byte) => Buffer.of(byte)) : [bytes]) {
    response.write(piece);
    if (bytewise) await setImmediate();
  }
  if (end === "done") response.end();
  else if (end === "cut") setTimeout(() => response.destroy(), 20);
}

function refuse(status: number, response: ServerResponse): void {
  const headers = { "content-type": "application/json", ...(status === 429 && { "retry-after": "7" }) };
  response.writeHead(status, headers).end(JSON.stringify({ error: { message: `status ${status}`, type: "test" } }));
}

function stream(response: ServerResponse, pieces: readonly string[], end: "done" | "cut" | "stall" = "done"): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const chunk = (choices: unknown[], more: Record<string, unknown> = {}): void => {
    const data = { id: "up-1", object: "chat.completion.chunk", created: 1, model: "up", choices, ...more };
    response.write(`data: ${JSON.stringify(data)}\n\n`);
  };
  for (const content of pieces) chunk([{ index: 0, delta: { role: "assistant", content }, finish_reason: null }]);
  if (end === "stall") return;
  if (end === "cut") {
    setTimeout(() => response.destroy(), 20);
    return;
  }
  chunk([{ index: 0, delta: {}, finish_reason: "stop" }]);
  chunk([], { usage: USAGE });
  response.end("data: [DONE]\n\n");
}
