/** A loopback upstream with OpenAI's endpoints, whose answers depend on what is asked and on nothing else. */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface PipelineUpstream {
  /** With `/v1`. */
  readonly baseUrl: string;
  /** Bodies of the requests since the last `reset`, as text. */
  readonly requests: string[];
  reset(): void;
  close(): Promise<void>;
}

interface Asked {
  readonly model: string;
  readonly stream?: boolean;
  readonly tools?: readonly unknown[];
  readonly messages?: readonly { readonly role: string; readonly content: unknown }[];
}

export const CHAT_USAGE = {
  ...{ prompt_tokens: 1_000, completion_tokens: 200, total_tokens: 1_200 },
  prompt_tokens_details: { cached_tokens: 400 },
  completion_tokens_details: { reasoning_tokens: 50 },
};

/** The first request after a reset is answered with 503. */
export async function startPipelineUpstream(): Promise<PipelineUpstream> {
  const requests: string[] = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    requests.push(text);
    const body = JSON.parse(text) as Asked;
    if (requests.length === 1 && text.includes("Commits:")) return send(response, 503, { error: { message: "busy" } });
    if (request.url?.endsWith("/embeddings")) return send(response, 200, embeddings(body));
    if (request.url?.endsWith("/responses")) return send(response, 200, responseOf(body));
    if (body.stream) return sendStream(response, body);
    return send(response, 200, completion(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    reset: () => void requests.splice(0),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function embeddings({ model }: Asked): unknown {
  const data = [{ object: "embedding", index: 0, embedding: [0.1, 0.2, 0.3] }];
  return { object: "list", model, data, usage: { prompt_tokens: 30, total_tokens: 30 } };
}

function responseOf({ model }: Asked): unknown {
  const content = [{ type: "output_text", text: " A title ", annotations: [] }];
  return {
    ...{ id: "resp_1", object: "response", created_at: 1, status: "completed", model, error: null },
    output: [{ id: "msg_1", type: "message", role: "assistant", status: "completed", content }],
    usage: {
      ...{ input_tokens: 90, output_tokens: 9, total_tokens: 99 },
      input_tokens_details: { cached_tokens: 0 },
      output_tokens_details: { reasoning_tokens: 0 },
    },
  };
}

function completion({ model, tools, messages = [] }: Asked): unknown {
  const answered = messages.some(({ role }) => role === "tool");
  const name = JSON.stringify(tools ?? []).includes("account") ? "account" : "look_up_issue";
  const call = { id: "call_1", type: "function", function: { name, arguments: '{"id":"12"}' } };
  const asksTool = tools && !answered;
  const message = asksTool ? { content: null, tool_calls: [call] } : { content: answerTo(JSON.stringify(messages)) };
  const choice = {
    index: 0,
    message: { role: "assistant", ...message },
    finish_reason: asksTool ? "tool_calls" : "stop",
  };
  return { id: "chatcmpl-1", object: "chat.completion", created: 1, model, choices: [choice], usage: CHAT_USAGE };
}

function answerTo(asked: string): string {
  if (asked.includes("Commits:")) return '{"changes":[{"area":"start","summary":"faster"}]}';
  if (asked.includes("You sort tickets")) return '{"urgency":"high","topic":"billing"}';
  if (asked.includes("How good")) return '{"score":7}';
  return `About ${asked.length % 97}`;
}

function sendStream(response: ServerResponse, { model }: Asked): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const base = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model };
  const chunk = (choices: unknown[], usage: unknown = null): void =>
    void response.write(`data: ${JSON.stringify({ ...base, choices, usage })}\n\n`);
  for (const content of ["Faster ", "start."]) chunk([{ index: 0, delta: { content }, finish_reason: null }]);
  chunk([{ index: 0, delta: {}, finish_reason: "stop" }]);
  chunk([], CHAT_USAGE);
  response.end("data: [DONE]\n\n");
}
