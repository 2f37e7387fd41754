import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface SeenRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Record<string, unknown>;
}

export type Reply = (response: ServerResponse, request: SeenRequest) => void | Promise<void>;

export interface ScriptedUpstream {
  /** With `/v1`, as a provider's `base_url`. */
  readonly baseUrl: string;
  readonly seen: SeenRequest[];
  /** What the next requests are answered with, in order; the last one stays. */
  script(...replies: readonly Reply[]): void;
  close(): Promise<void>;
}

/** An OpenAI-compatible upstream on loopback that answers as told and keeps what it was sent. */
export async function startScriptedUpstream(): Promise<ScriptedUpstream> {
  const seen: SeenRequest[] = [];
  let replies: readonly Reply[] = [completion("ok")];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    const entry = {
      path: request.url ?? "",
      headers: request.headers,
      body: JSON.parse(text || "{}") as Record<string, unknown>,
    };
    seen.push(entry);
    const [reply = completion("ok"), ...rest] = replies;
    if (rest.length > 0) replies = rest;
    await reply(response, entry);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    seen,
    script(...next) {
      replies = next;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Reply =>
  (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
  };

export const USAGE = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };

/** A whole chat completion, or the same as a stream where the request asks for one. */
export const completion =
  (content: string, message: Record<string, unknown> = {}, finish = "stop"): Reply =>
  async (response, request) => {
    if (request.body["stream"] === true) return streamed([{ content, ...message }], finish)(response, request);
    await json(200, {
      id: "chatcmpl-up",
      object: "chat.completion",
      created: 1,
      model: "m-1",
      choices: [{ index: 0, message: { role: "assistant", content, ...message }, finish_reason: finish }],
      usage: USAGE,
    })(response, request);
  };

/** A stream of the given deltas, usage, and `[DONE]`. */
export const streamed =
  (deltas: readonly Record<string, unknown>[], finish = "stop"): Reply =>
  (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const chunk = (choices: unknown[], more: Record<string, unknown> = {}): void => {
      const body = { id: "chatcmpl-up", object: "chat.completion.chunk", created: 1, model: "m-1", choices, ...more };
      response.write(`data: ${JSON.stringify(body)}\n\n`);
    };
    chunk([{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }]);
    for (const delta of deltas) chunk([{ index: 0, delta, finish_reason: null }]);
    chunk([{ index: 0, delta: {}, finish_reason: finish }]);
    chunk([], { usage: USAGE });
    response.end("data: [DONE]\n\n");
  };
