/** OpenAI's Responses API: a call, and the answers that are kept where `responses_store` is on. */
import { z } from "zod";
import { call, callHeaders, countTokensAnswer, MODEL, SERVED_MODEL, STREAMED_OR_WHOLE } from "./calls.ts";
import { endpoint } from "./endpoint.ts";

const responsesRequest = z
  .looseObject({
    model: MODEL,
    input: z.union([z.string(), z.array(z.looseObject({}))]),
    previous_response_id: z.string().nullable().optional().describe("A kept response that this request continues."),
    store: z.boolean().nullable().optional().describe("`false`: the answer is not kept."),
    instructions: z.string().nullable().optional(),
    stream: z.boolean().nullable().optional(),
  })
  .meta({ id: "ResponsesRequest" });

const responsesAnswer = z
  .looseObject({
    id: z.string(),
    object: z.literal("response"),
    model: SERVED_MODEL,
    status: z.string(),
    store: z.boolean().optional().describe("The answer is kept: it can be read and continued by its id."),
    output: z.array(z.looseObject({ type: z.string() })),
  })
  .meta({ id: "Response" });

export const createResponse = endpoint({
  operation: "createResponse",
  ...call,
  path: "/v1/responses",
  summary: "The same in the form of OpenAI's Responses API; kept and continued where `responses_store` is on",
  body: responsesRequest,
  answers: {
    200: { description: STREAMED_OR_WHOLE, json: responsesAnswer, text: "text/event-stream", headers: callHeaders },
  },
});

export const countInputTokens = endpoint({
  operation: "countInputTokens",
  ...call,
  path: "/v1/responses/input_tokens",
  summary: "Size of a prompt: counted by Anthropic, estimated elsewhere",
  body: z
    .looseObject({ model: MODEL, input: z.union([z.string(), z.array(z.looseObject({}))]).optional() })
    .meta({ id: "InputTokensRequest" }),
  answers: {
    200: {
      description: "The answer",
      json: countTokensAnswer.extend({ object: z.literal("response.input_tokens") }).meta({ id: "InputTokenCount" }),
      headers: z.object({ "x-modelrig-served": z.string(), "x-modelrig-estimated": z.string() }),
    },
  },
});

export const compactResponse = endpoint({
  operation: "compactResponse",
  ...{ method: "post", path: "/v1/responses/compact", access: "call", ignoresQuery: true },
  summary: "Refused: no provider's compaction can be read by another",
  body: z.looseObject({ model: MODEL }).meta({ id: "CompactRequest" }),
  answers: {},
});

export const cancelResponse = endpoint({
  operation: "cancelResponse",
  ...{ method: "post", path: "/v1/responses/{id}/cancel", access: "call", ignoresQuery: true },
  summary: "Refused: nothing runs in the background, and a client cancels a call by closing its connection",
  answers: {},
  faults: { 400: "There is nothing to cancel" },
});

const kept = {
  access: "call",
  everyRow: "kept responses",
  ignoresQuery: true,
  faults: { 404: "No such response for this key, it has expired, or no response is kept here" },
} as const;

export const getResponse = endpoint({
  operation: "getResponse",
  ...{ ...kept, method: "get", path: "/v1/responses/{id}" },
  summary: "A kept response",
  query: z.object({ stream: z.string().optional().describe("Kept responses are whole: anything but `false` is 400.") }),
  answers: { 200: { description: "OK", json: responsesAnswer } },
  faults: { ...kept.faults, 400: "A kept response is not streamed" },
});

export const deleteResponse = endpoint({
  operation: "deleteResponse",
  ...{ ...kept, method: "delete", path: "/v1/responses/{id}" },
  summary: "Deletes a kept response; what continues it can no longer be continued",
  answers: {
    200: {
      description: "Deleted",
      json: z
        .object({ id: z.string(), object: z.literal("response"), deleted: z.literal(true) })
        .meta({ id: "DeletedResponse" }),
    },
  },
});

export const listInputItems = endpoint({
  operation: "listInputItems",
  ...{ ...kept, method: "get", path: "/v1/responses/{id}/input_items" },
  summary: "What the model was given for a kept response, with what it continued",
  query: z.object({
    limit: z.coerce.number().int().min(1).max(100).default(20),
    order: z.enum(["asc", "desc"]).default("desc"),
    after: z.string().optional().describe("Id of the item after which the page begins."),
  }),
  answers: {
    200: {
      description: "OK",
      json: z
        .object({
          object: z.literal("list"),
          data: z.array(z.looseObject({ type: z.string() })),
          first_id: z.string().nullable(),
          last_id: z.string().nullable(),
          has_more: z.boolean(),
        })
        .meta({ id: "InputItemList" }),
    },
  },
  faults: { ...kept.faults, 400: "A parameter cannot be accepted, or `after` names no item of the list" },
});
