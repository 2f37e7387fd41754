/** Calls: bodies of the endpoints that speak a provider's own API. Only what this gateway itself reads is typed. */
import { z } from "zod";
import { tags } from "../intake/fields.ts";
import { endpoint } from "./endpoint.ts";
import { messagesError } from "./faults.ts";

export const MODEL = z.string().describe("route, route@variant, or provider/model");
export const SERVED_MODEL = z.string().describe("The model that really served.");
export const STREAMED_OR_WHOLE = "The answer; server-sent events where `stream` is true";

const markHeaders = z.object({
  "x-modelrig-tags": z.string().optional().describe("key=value,… with percent escapes"),
  "x-modelrig-run": z.string().optional(),
  "x-modelrig-step": z.string().optional(),
  "x-modelrig-stream": z.enum(["live", "validated"]).optional(),
});

export const callHeaders = z.object({
  "x-modelrig-inference-id": z.string(),
  "x-modelrig-served": z.string().optional().describe("provider/model"),
  "x-modelrig-rung": z.string().optional(),
  "x-modelrig-attempts": z.string(),
  "x-modelrig-cost-usd": z.string().optional().describe("Absent on streams and where a price is unknown."),
  "x-modelrig-dropped": z.string().optional(),
  "x-modelrig-simulated": z.string().optional(),
});

/** Statuses a call can fail with, beside those of any keyed endpoint. */
const CALL_FAULTS = {
  400: "The request cannot be served as it is",
  402: "A spend limit refused the call, or the provider's quota is spent",
  404: "No such route or model",
  422: "No candidate gave a valid output",
  429: "Every candidate is shedding load",
  499: "The client went away",
  502: "Upstream failure",
  503: "No candidate can be asked at the moment",
  504: "Upstream timeout",
} as const;

export const call = {
  method: "post",
  access: "call",
  ignoresQuery: true,
  headers: markHeaders,
  faults: CALL_FAULTS,
} as const;

const chatRequest = z
  .looseObject({
    model: MODEL,
    messages: z.array(z.looseObject({ role: z.string() })),
    stream: z.boolean().nullable().optional(),
    stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullable().optional(),
    response_format: z.looseObject({ type: z.enum(["text", "json_object", "json_schema"]) }).optional(),
    metadata: z.record(z.string(), z.string()).nullable().optional().describe("Also booked as tags."),
  })
  .meta({ id: "ChatCompletionRequest" });

const chatAnswer = z
  .looseObject({
    id: z.string(),
    object: z.literal("chat.completion"),
    model: SERVED_MODEL,
    choices: z.array(z.looseObject({ index: z.int() })),
    usage: z.looseObject({}).optional(),
  })
  .meta({ id: "ChatCompletion" });

export const createChatCompletion = endpoint({
  operation: "createChatCompletion",
  ...call,
  path: "/v1/chat/completions",
  summary: "Chat completion through a route or a raw model",
  body: chatRequest,
  answers: {
    200: { description: STREAMED_OR_WHOLE, json: chatAnswer, text: "text/event-stream", headers: callHeaders },
  },
});

const turns = z.array(z.looseObject({ role: z.string() }));

const messagesRequest = z
  .looseObject({ model: MODEL, max_tokens: z.int().min(1), messages: turns, stream: z.boolean().optional() })
  .meta({ id: "MessagesRequest" });

const messagesAnswer = z
  .looseObject({
    id: z.string(),
    type: z.literal("message"),
    role: z.literal("assistant"),
    model: SERVED_MODEL,
    content: z.array(z.looseObject({ type: z.string() })),
    stop_reason: z.string().nullable(),
    usage: z.looseObject({ input_tokens: z.int(), output_tokens: z.int() }),
  })
  .meta({ id: "Message" });

const requestId = { "request-id": z.string().describe("Id of the inference; of the request, where there is none.") };

export const createMessage = endpoint({
  operation: "createMessage",
  ...call,
  path: "/v1/messages",
  summary: "The same in the form of Anthropic's Messages API",
  body: messagesRequest,
  answers: {
    200: {
      description: STREAMED_OR_WHOLE,
      json: messagesAnswer,
      text: "text/event-stream",
      headers: callHeaders.extend(requestId),
    },
  },
  fault: messagesError,
});

export const countTokensAnswer = z
  .object({
    input_tokens: z.int(),
    estimated: z.boolean().describe("True where the provider that would serve the call did not count."),
  })
  .meta({ id: "TokenCount" });

export const countMessageTokens = endpoint({
  operation: "countMessageTokens",
  ...call,
  path: "/v1/messages/count_tokens",
  summary: "Size of a prompt: counted by Anthropic, estimated elsewhere",
  body: z.looseObject({ model: MODEL, messages: turns }).meta({ id: "CountTokensRequest" }),
  answers: {
    200: {
      description: "The answer",
      json: countTokensAnswer,
      headers: z.object({ "x-modelrig-served": z.string(), "x-modelrig-estimated": z.string(), ...requestId }),
    },
  },
  fault: messagesError,
});

const embeddingsRequest = z
  .looseObject({
    model: MODEL,
    input: z.union([z.string(), z.array(z.string()), z.array(z.int()), z.array(z.array(z.int()))]),
    dimensions: z.int().min(1).optional(),
    encoding_format: z.enum(["float", "base64"]).optional(),
  })
  .meta({ id: "EmbeddingsRequest" });

const embeddingsAnswer = z
  .object({
    object: z.literal("list"),
    model: SERVED_MODEL,
    data: z.array(
      z.object({
        object: z.literal("embedding"),
        index: z.int(),
        embedding: z.union([z.array(z.number()), z.string()]),
      }),
    ),
    usage: z.object({ prompt_tokens: z.int(), total_tokens: z.int() }).optional(),
  })
  .meta({ id: "EmbeddingList" });

export const createEmbeddings = endpoint({
  operation: "createEmbeddings",
  ...call,
  path: "/v1/embeddings",
  summary: "Vectors of texts, from OpenAI-compatible providers and Gemini",
  body: embeddingsRequest,
  answers: { 200: { description: "The answer", json: embeddingsAnswer, headers: callHeaders } },
});

const runRequest = z
  .strictObject({
    input: z.record(z.string(), z.unknown()).describe("The route's variables, checked against its input schema."),
    variant: z.string().optional().describe("A declared variant; default: the route under its live pin."),
    tags: tags.optional(),
    stepKey: z.string().optional().describe("Named stage of the run."),
    run: z.string().optional().describe("Id of the pipeline execution this call belongs to."),
    stream: z.boolean().optional().describe("Server-sent events in the shape of chat completion chunks."),
  })
  .meta({ id: "RunRequest" });

const runAnswer = z
  .object({
    output: z.unknown().describe("The validated JSON where the route declares a schema, else the text."),
    text: z.string(),
    meta: z.object({
      inference_id: z.string(),
      route: z.string(),
      variant: z.string(),
      served: z.string().describe("provider/model"),
      rung: z.string(),
      attempts: z.int(),
      conformant: z.boolean().optional(),
      finish: z.string().optional(),
      cost_usd: z.string().optional().describe("Exact decimal, nine places; absent when unknown."),
      cost_estimated: z.boolean(),
      latency_ms: z.int(),
      usage: z.object({ input_tokens: z.int().optional(), output_tokens: z.int().optional() }),
      simulated: z.boolean(),
      arm: z.string().optional(),
    }),
  })
  .meta({ id: "RunAnswer" });

export type RunAnswer = z.output<typeof runAnswer>;

export const runRoute = endpoint({
  operation: "runRoute",
  ...call,
  path: "/v1/run/{route}",
  reach: "route",
  summary: "Render a route's template with variables and run it",
  body: runRequest,
  answers: {
    200: { description: STREAMED_OR_WHOLE, json: runAnswer, text: "text/event-stream", headers: callHeaders },
  },
});

const model = z
  .object({
    id: z.string().describe("What to send as `model`: a route, route@variant, or provider/model."),
    object: z.literal("model"),
    created: z.int(),
    owned_by: z.string().describe("`modelrig` for routes, else the provider."),
  })
  .meta({ id: "Model" });

export type Model = z.output<typeof model>;

export const listModels = endpoint({
  operation: "listModels",
  ...{ method: "get", path: "/v1/models", access: "call", ignoresQuery: true },
  summary: "Routes, variants and models the key may call",
  answers: {
    200: {
      description: "OK",
      json: z.object({ object: z.literal("list"), data: z.array(model) }).meta({ id: "ModelList" }),
    },
  },
});

export const getModel = endpoint({
  operation: "getModel",
  ...{ method: "get", path: "/v1/models/{model}", access: "call", ignoresQuery: true },
  summary: "One of them; a `/` in its id may be written as it is",
  answers: { 200: { description: "OK", json: model } },
  faults: { 404: "No such route or model, or not for this key" },
});
