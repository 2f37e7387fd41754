/**
 * Ways an upstream can answer, good and bad, in the shape of chat completions. Each is named as it is asked for in a URL:
 * `cut-after:3` = the kind `cut-after` with argument 3. `faulty-upstream.ts` serves them.
 */
import type { ServerResponse } from "node:http";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { drained } from "../upstreams/http-server.ts";

export interface Asked {
  readonly response: ServerResponse;
  /** The request's JSON body, or undefined where it was none. */
  readonly body: ChatBody | undefined;
  readonly argument: string | undefined;
  readonly number: (fallback: number) => number;
  /** Breaks the connection off from this side. */
  readonly breakOff: (how: "close" | "reset") => void;
  /** Resolves after `ms`, or at once when the client goes away. */
  readonly pause: (ms: number) => Promise<void>;
}

export interface ChatBody {
  readonly model?: string;
  readonly stream?: boolean;
  readonly stream_options?: { readonly include_usage?: boolean };
  readonly messages?: readonly { readonly role: string; readonly content?: unknown }[];
  readonly tools?: readonly { readonly function?: { readonly name?: string } }[];
}

type Kind = (asked: Asked) => void | Promise<void>;

const ID = "chatcmpl-upstream";
const FOREVER_MS = 600_000;
const PROMPT_TOKENS = 7;

/** Words `t0 t1 …`, so that a test can see which arrived. */
export const tokenText = (index: number): string => (index === 0 ? "t0" : ` t${index}`);
export const answerText = (tokens: number): string =>
  Array.from({ length: tokens }, (_, index) => tokenText(index)).join("");

const usage = (tokens: number) => ({
  prompt_tokens: PROMPT_TOKENS,
  completion_tokens: tokens,
  total_tokens: PROMPT_TOKENS + tokens,
});

const modelOf = ({ body }: Asked): string => body?.model ?? "unnamed";

function frame(asked: Asked, delta: object, finish: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  return sse({ id: ID, object: "chat.completion.chunk", created: 1_700_000_000, model: modelOf(asked), choices });
}

const sse = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;

function openStream({ response }: Asked): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.flushHeaders();
}

function completion(asked: Asked, message: object, tokens: number, finish = "stop"): object {
  const choices = [{ index: 0, message: { role: "assistant", content: null, ...message }, finish_reason: finish }];
  return {
    id: ID,
    object: "chat.completion",
    created: 1_700_000_000,
    model: modelOf(asked),
    choices,
    usage: usage(tokens),
  };
}

function json({ response }: Asked, status: number, value: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(value));
}

const errorBody = (message: string, type: string, code: string | null = null) => ({
  error: { message, type, param: null, code },
});

/** The first `tokens` pieces of a stream, or the whole answer where none was asked for. Returns false in that case. */
function beginStream(asked: Asked, tokens: number): boolean {
  if (asked.body?.stream !== true) {
    json(asked, 200, completion(asked, { content: answerText(tokens) }, tokens));
    return false;
  }
  openStream(asked);
  asked.response.write(frame(asked, { role: "assistant", content: "" }));
  for (let index = 0; index < tokens; index += 1) asked.response.write(frame(asked, { content: tokenText(index) }));
  return true;
}

function endStream(asked: Asked, tokens: number, finish = "stop", done = true): void {
  asked.response.write(frame(asked, {}, finish));
  if (asked.body?.stream_options?.include_usage) {
    asked.response.write(
      sse({ id: ID, object: "chat.completion.chunk", model: modelOf(asked), choices: [], usage: usage(tokens) }),
    );
  }
  asked.response.end(done ? "data: [DONE]\n\n" : "");
}

function answer(asked: Asked, tokens: number): void {
  if (beginStream(asked, tokens)) endStream(asked, tokens);
}

/** A whole body under a content encoding. */
function encoded(asked: Asked, encoding: string, compress: (text: string) => Buffer): void {
  const text =
    asked.body?.stream === true
      ? `${frame(asked, { content: answerText(3) })}${frame(asked, {}, "stop")}data: [DONE]\n\n`
      : JSON.stringify(completion(asked, { content: answerText(3) }, 3));
  const type = asked.body?.stream === true ? "text/event-stream" : "application/json";
  asked.response.writeHead(200, { "content-type": type, "content-encoding": encoding });
  asked.response.end(compress(text));
}

function toolAnswer(asked: Asked): void {
  const name = asked.body?.tools?.[0]?.function?.name ?? "lookup";
  const call = { id: "call_1", type: "function", function: { name, arguments: '{"q":1}' } };
  if (asked.body?.stream !== true) {
    json(asked, 200, completion(asked, { tool_calls: [call] }, 5, "tool_calls"));
    return;
  }
  openStream(asked);
  const pieces = ['{"q"', ":1}"];
  const opening = { ...call, index: 0, function: { name, arguments: "" } };
  asked.response.write(frame(asked, { role: "assistant", content: null, tool_calls: [opening] }));
  for (const piece of pieces)
    asked.response.write(frame(asked, { tool_calls: [{ index: 0, function: { arguments: piece } }] }));
  endStream(asked, 5, "tool_calls");
}

function lastUserText({ body }: Asked): string {
  const content = body?.messages?.findLast((message) => message.role === "user")?.content;
  return typeof content === "string" ? content : JSON.stringify(content ?? "");
}

const HTML = "<!doctype html><html><head><title>502 Bad Gateway</title></head><body><h1>Bad Gateway</h1></body></html>";

/** What an OpenAI-compatible provider says inside HTTP 200 when it is overloaded. */
const OVERLOADED = errorBody("The server is overloaded", "server_error", "server_is_overloaded");

export const FAULTS: Readonly<Record<string, Kind>> = {
  /** N tokens (default 5), streamed where asked. */
  ok: (asked) => answer(asked, asked.number(5)),
  /** Answers with the last user message. */
  echo: (asked) => {
    if (asked.body?.stream !== true) return json(asked, 200, completion(asked, { content: lastUserText(asked) }, 5));
    openStream(asked);
    asked.response.write(frame(asked, { role: "assistant", content: lastUserText(asked) }));
    endStream(asked, 5);
  },
  /** Calls the first tool of the request with `{"q":1}`. */
  tool: toolAnswer,
  /** Answers with the argument as text (URL-encoded), e.g. JSON for a schema. */
  say: (asked) => {
    const content = asked.argument ?? "";
    if (asked.body?.stream !== true) return json(asked, 200, completion(asked, { content }, 5));
    openStream(asked);
    asked.response.write(frame(asked, { role: "assistant", content }));
    endStream(asked, 5);
  },
  /** A valid answer cut by the token limit. */
  length: (asked) => {
    if (asked.body?.stream !== true)
      return json(asked, 200, completion(asked, { content: answerText(3) }, 3, "length"));
    if (beginStream(asked, 3)) endStream(asked, 3, "length");
  },

  /** The connection is reset before any byte. */
  reset: ({ breakOff }) => breakOff("reset"),
  /** Resets after N tokens. */
  "reset-after": async (asked) => {
    if (!beginStream(asked, asked.number(3))) return;
    await asked.pause(20);
    asked.breakOff("reset");
  },
  /** Never answers. */
  stall: (asked) => asked.pause(FOREVER_MS),
  /** Answers after N ms of silence before the headers. */
  slow: async (asked) => {
    await asked.pause(asked.number(500));
    answer(asked, 5);
  },
  /** Headers at once, the first token after N ms. */
  "slow-first": async (asked) => {
    if (asked.body?.stream === true) openStream(asked);
    await asked.pause(asked.number(500));
    if (asked.body?.stream !== true) return answer(asked, 5);
    asked.response.write(frame(asked, { role: "assistant", content: answerText(5) }));
    endStream(asked, 5);
  },
  /** Silence after N tokens, the connection stays open. */
  "stall-after": async (asked) => {
    if (beginStream(asked, asked.number(3))) await asked.pause(FOREVER_MS);
  },
  /** Keep-alive comments for ever after N tokens (0 = instead of an answer). */
  "keepalive-after": async (asked) => {
    if (!beginStream(asked, asked.number(0))) return;
    for (let beat = 0; beat < 12_000 && !asked.response.destroyed; beat += 1) {
      asked.response.write(": keep-alive\n\n");
      await asked.pause(50);
    }
  },
  /** The connection breaks inside the chunked body after N tokens. */
  "cut-after": async (asked) => {
    if (!beginStream(asked, asked.number(3))) return;
    await asked.pause(20);
    asked.breakOff("close");
  },
  /** The body ends cleanly after N tokens, without finish reason or `[DONE]`. */
  "end-after": (asked) => {
    if (beginStream(asked, asked.number(3))) asked.response.end();
  },
  /** A finish reason, but no `[DONE]`. */
  "no-done": (asked) => {
    if (beginStream(asked, asked.number(5))) endStream(asked, 5, "stop", false);
  },
  /** A finish reason, then neither usage nor `[DONE]`, and the connection stays open. */
  "no-end": async (asked) => {
    if (!beginStream(asked, asked.number(5))) return;
    asked.response.write(frame(asked, {}, "stop"));
    await asked.pause(FOREVER_MS);
  },
  /** Like `no-end`, but the connection is reset. */
  "reset-end": async (asked) => {
    if (!beginStream(asked, asked.number(5))) return;
    asked.response.write(frame(asked, {}, "stop"));
    await asked.pause(20);
    asked.breakOff("reset");
  },
  /** Spoken audio and no text: three pieces, N ms apart. */
  audio: async (asked) => {
    openStream(asked);
    for (const data of ["AAAA", "BBBB", "CCCC"]) {
      asked.response.write(frame(asked, { audio: { id: "audio_1", data } }));
      await asked.pause(asked.number(0));
    }
    endStream(asked, 3);
  },
  /** Headers and half of an answer, then silence. */
  "stall-json": async (asked) => {
    asked.response.writeHead(200, { "content-type": "application/json" });
    asked.response.write(JSON.stringify(completion(asked, { content: answerText(3) }, 3)).slice(0, 80));
    await asked.pause(FOREVER_MS);
  },
  /** One token every N ms, ten in all. */
  trickle: async (asked) => {
    if (asked.body?.stream !== true) return answer(asked, 10);
    openStream(asked);
    for (let index = 0; index < 10; index += 1) {
      asked.response.write(frame(asked, { content: tokenText(index) }));
      await asked.pause(asked.number(20));
    }
    endStream(asked, 10);
  },
  /** An answer of N bytes of text (default 10 MB). */
  flood: async (asked) => {
    const bytes = asked.number(10 * 1024 * 1024);
    if (asked.body?.stream !== true) return json(asked, 200, completion(asked, { content: "x".repeat(bytes) }, 5));
    openStream(asked);
    const piece = "x".repeat(1024);
    for (let sent = 0; sent < bytes && !asked.response.destroyed; sent += piece.length) {
      if (!asked.response.write(frame(asked, { content: piece }))) {
        await drained(asked.response);
      }
    }
    endStream(asked, 5);
  },
  /** Promises more bytes than it sends. */
  "lying-length": (asked) => {
    const text = JSON.stringify(completion(asked, { content: answerText(3) }, 3));
    asked.response.writeHead(200, { "content-type": "application/json", "content-length": String(text.length + 500) });
    asked.response.write(text, () => asked.breakOff("close"));
  },
  /** JSON that stops in the middle, under a correct length. */
  "cut-json": (asked) => {
    const text = JSON.stringify(completion(asked, { content: answerText(3) }, 3));
    asked.response.writeHead(200, { "content-type": "application/json" }).end(text.slice(0, text.length / 2));
  },
  empty: ({ response }) => void response.writeHead(200, { "content-type": "application/json" }).end(),
  /** HTTP 200 whose first event, or whole body, is an error. */
  "error-first": (asked) => {
    if (asked.body?.stream !== true) return json(asked, 200, OVERLOADED);
    openStream(asked);
    asked.response.end(sse(OVERLOADED));
  },
  /** An error event after N tokens, then a clean end. */
  "error-after": (asked) => {
    if (beginStream(asked, asked.number(3))) asked.response.end(sse(OVERLOADED));
  },
  /** A chunk that is no JSON after N tokens; the stream then goes on. */
  "malformed-after": (asked) => {
    const tokens = asked.number(3);
    if (!beginStream(asked, tokens)) return;
    asked.response.write('data: {"id":"chatcmpl-upstream","choices":[{"ind\n\n');
    endStream(asked, tokens);
  },
  /** HTTP error N (default 500) with an OpenAI body; a second argument is Retry-After: `status:429:2`. */
  status: (asked) => {
    const [status = "500", retryAfter] = (asked.argument ?? "500").split(":");
    const headers = retryAfter === undefined ? {} : { "retry-after": retryAfter };
    const type = status === "429" ? "rate_limit_error" : "server_error";
    json(asked, Number(status), errorBody(`Upstream says ${status}`, type), headers as Record<string, string>);
  },
  quota: (asked) =>
    json(asked, 429, errorBody("You exceeded your current quota", "insufficient_quota", "insufficient_quota")),
  "context-length": (asked) =>
    json(
      asked,
      400,
      errorBody(
        "This model's maximum context length is 10 tokens.",
        "invalid_request_error",
        "context_length_exceeded",
      ),
    ),
  "content-filter": (asked) =>
    json(
      asked,
      400,
      errorBody("The prompt was refused by the content policy.", "invalid_request_error", "content_policy_violation"),
    ),
  auth: (asked) =>
    json(asked, 401, errorBody("Incorrect API key provided", "invalid_request_error", "invalid_api_key")),
  /** Refuses a conversation that ends with the assistant, else answers. */
  "no-prefill": (asked) =>
    asked.body?.messages?.at(-1)?.role === "assistant"
      ? json(asked, 400, errorBody("This model does not support assistant message prefill.", "invalid_request_error"))
      : answer(asked, 5),
  /** A web page under status N (default 502). */
  html: (asked) => void asked.response.writeHead(asked.number(502), { "content-type": "text/html" }).end(HTML),
  /** A right answer under a wrong content type. */
  "wrong-type": (asked) => {
    const text = JSON.stringify(completion(asked, { content: answerText(3) }, 3));
    asked.response.writeHead(200, { "content-type": "text/plain" }).end(text);
  },
  gzip: (asked) => encoded(asked, "gzip", (text) => gzipSync(text)),
  brotli: (asked) => encoded(asked, "br", (text) => brotliCompressSync(text)),
};
