/** Bodies of the endpoints that speak a provider's own API. Only what this gateway itself reads is typed. */
import { z } from "@hono/zod-openapi";

const MODEL = z.string().describe("route, route@variant, or provider/model");
const SERVED_MODEL = z.string().describe("The model that really served.");

export const chatRequest = z
  .looseObject({
    model: MODEL,
    messages: z.array(z.looseObject({ role: z.string() })),
    stream: z.boolean().optional(),
    stream_options: z.looseObject({ include_usage: z.boolean().optional() }).optional(),
    response_format: z.looseObject({ type: z.enum(["text", "json_object", "json_schema"]) }).optional(),
    metadata: z.record(z.string(), z.string()).optional().describe("Also booked as tags."),
  })
  .openapi("ChatCompletionRequest");

export const chatAnswer = z
  .looseObject({
    id: z.string(),
    object: z.literal("chat.completion"),
    model: SERVED_MODEL,
    choices: z.array(z.looseObject({ index: z.int() })),
    usage: z.looseObject({}).optional(),
  })
  .openapi("ChatCompletion");

const turns = z.array(z.looseObject({ role: z.enum(["user", "assistant"]) }));

export const messagesRequest = z
  .looseObject({ model: MODEL, max_tokens: z.int().min(1), messages: turns, stream: z.boolean().optional() })
  .openapi("MessagesRequest");

export const messagesAnswer = z
  .looseObject({
    id: z.string(),
    type: z.literal("message"),
    role: z.literal("assistant"),
    model: SERVED_MODEL,
    content: z.array(z.looseObject({ type: z.string() })),
    stop_reason: z.string(),
    usage: z.looseObject({ input_tokens: z.int(), output_tokens: z.int() }),
  })
  .openapi("Message");

export const countRequest = z.looseObject({ model: MODEL, messages: turns }).openapi("CountTokensRequest");

export const tokenCount = z
  .object({
    input_tokens: z.int(),
    estimated: z.boolean().describe("True where the provider that would serve the call did not count."),
  })
  .openapi("TokenCount");

export const responsesRequest = z
  .looseObject({
    model: MODEL,
    input: z.union([z.string(), z.array(z.looseObject({}))]),
    instructions: z.string().optional(),
    stream: z.boolean().optional(),
  })
  .openapi("ResponsesRequest");

export const responsesAnswer = z
  .looseObject({
    id: z.string(),
    object: z.literal("response"),
    model: SERVED_MODEL,
    status: z.string(),
    output: z.array(z.looseObject({ type: z.string() })),
  })
  .openapi("Response");

export const embeddingsRequest = z
  .looseObject({
    model: MODEL,
    input: z.union([z.string(), z.array(z.string()), z.array(z.int()), z.array(z.array(z.int()))]),
    dimensions: z.int().min(1).optional(),
    encoding_format: z.enum(["float", "base64"]).optional(),
  })
  .openapi("EmbeddingsRequest");

export const embeddingsAnswer = z
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
  .openapi("EmbeddingList");

/** Anthropic's error shape, with our fields beside its own. */
export const messagesError = z
  .object({
    type: z.literal("error"),
    error: z.looseObject({ type: z.string(), message: z.string(), failure_class: z.string() }),
    request_id: z.string().nullable(),
  })
  .openapi("MessagesError");
