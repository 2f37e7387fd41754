import { OpenAPIHono, z } from "@hono/zod-openapi";
import type { Hono } from "hono";
import { FAILURE_CLASSES } from "../../src/failure/failure.ts";
import type { AppEnv } from "../context.ts";
import {
  chatAnswer,
  chatRequest,
  countRequest,
  embeddingsAnswer,
  embeddingsRequest,
  messagesAnswer,
  messagesError,
  messagesRequest,
  responsesAnswer,
  responsesRequest,
  tokenCount,
} from "./call-schemas.ts";
import { CONTROL_PATHS } from "./control-paths.ts";
import { DATA_PATHS } from "./data-paths.ts";
import { diagnosisAnswer } from "./diagnosis.ts";
import { healthAnswer } from "./health.ts";
import { modelsAnswer } from "./models.ts";
import { exportQuery } from "./org-data.ts";
import { queryAnswer, queryFaultDetails, queryRequest } from "./query.ts";
import { runAnswer, runRequest } from "./run.ts";
import { RUN_PATHS } from "./run-paths.ts";
import { whoamiAnswer } from "./whoami.ts";

const errorAnswer = z
  .object({
    error: z.object({
      message: z.string(),
      type: z.string(),
      code: z.string().nullable().optional(),
      param: z.string().nullable().optional(),
      failure_class: z.enum(FAILURE_CLASSES),
      inference_id: z.string().nullable().optional(),
      attempts: z.array(z.record(z.string(), z.unknown())).optional(),
    }),
  })
  .openapi("Error");

const queryFault = z.object({ error: errorAnswer.shape.error.extend(queryFaultDetails.shape) }).openapi("QueryFault");

const markHeaders = z.object({
  "x-modelrig-tags": z.string().optional().describe("key=value,… with percent escapes"),
  "x-modelrig-run": z.string().optional(),
  "x-modelrig-step": z.string().optional(),
  "x-modelrig-stream": z.enum(["live", "validated"]).optional(),
});

const answerHeaders = z.object({
  "x-modelrig-inference-id": z.string(),
  "x-modelrig-served": z.string().optional().describe("provider/model"),
  "x-modelrig-rung": z.string().optional(),
  "x-modelrig-attempts": z.string(),
  "x-modelrig-cost-usd": z.string().optional().describe("Absent on streams and where a price is unknown."),
  "x-modelrig-dropped": z.string().optional(),
  "x-modelrig-simulated": z.string().optional(),
});

const json = <T extends z.ZodType>(schema: T) => ({ "application/json": { schema } });
const events = { "text/event-stream": { schema: z.string().describe("Events of the endpoint's own API.") } };
const text = { "text/plain": { schema: z.string() } };
const STREAMED_OR_WHOLE = "The answer; server-sent events where `stream` is true";

/** Statuses a call can fail with, beside those of any keyed endpoint. */
const CALL_ERRORS: Readonly<Record<number, string>> = {
  400: "The request cannot be served as it is",
  402: "A spend limit refused the call, or the provider's quota is spent",
  404: "No such route or model",
  413: "The body is too large",
  422: "No candidate gave a valid output",
  429: "Every candidate is shedding load",
  502: "Upstream failure",
  503: "No candidate can be asked at the moment",
  504: "Upstream timeout",
};

const KEY_ERRORS: Readonly<Record<number, string>> = { 401: "No valid key", 403: "The key lacks scope or reach" };

function errors(...tables: readonly Readonly<Record<number, string>>[]) {
  return errorsAs(errorAnswer, ...tables);
}

function errorsAs(answer: z.ZodType, ...tables: readonly Readonly<Record<number, string>>[]) {
  const all = Object.assign({}, ...tables) as Record<number, string>;
  return Object.fromEntries(
    Object.entries(all).map(([status, description]) => [status, { description, content: json(answer) }]),
  );
}

interface CallPath {
  readonly path: string;
  readonly summary: string;
  readonly request: z.ZodType;
  readonly answer: z.ZodType;
  readonly streams: boolean;
  /** Where it is not OpenAI's. */
  readonly error?: z.ZodType;
}

const CALL_PATHS: readonly CallPath[] = [
  {
    path: "/v1/chat/completions",
    summary: "Chat completion through a route or a raw model",
    request: chatRequest,
    answer: chatAnswer,
    streams: true,
  },
  {
    path: "/v1/messages",
    summary: "The same in the form of Anthropic's Messages API",
    request: messagesRequest,
    answer: messagesAnswer,
    streams: true,
    error: messagesError,
  },
  {
    path: "/v1/messages/count_tokens",
    summary: "Size of a prompt: counted by Anthropic, estimated elsewhere",
    request: countRequest,
    answer: tokenCount,
    streams: false,
    error: messagesError,
  },
  {
    path: "/v1/responses",
    summary: "The same in the form of OpenAI's Responses API, without stored state",
    request: responsesRequest,
    answer: responsesAnswer,
    streams: true,
  },
  {
    path: "/v1/embeddings",
    summary: "Vectors of texts, from OpenAI-compatible providers and Gemini",
    request: embeddingsRequest,
    answer: embeddingsAnswer,
    streams: false,
  },
];

/** The document of everything mounted, from the schemas the handlers themselves parse and answer with. */
export function openapiDocument(): ReturnType<OpenAPIHono["getOpenAPI31Document"]> {
  const documented = new OpenAPIHono();
  const registry = documented.openAPIRegistry;
  registry.registerComponent("securitySchemes", "bearer", { type: "http", scheme: "bearer" });
  registry.registerComponent("securitySchemes", "apiKey", { type: "apiKey", in: "header", name: "x-api-key" });
  const security = [{ bearer: [] }, { apiKey: [] }];
  for (const { path, summary, request, answer, streams, error } of CALL_PATHS) {
    registry.registerPath({
      method: "post",
      path,
      summary,
      security,
      request: { headers: markHeaders, body: { required: true, content: json(request) } },
      responses: {
        200: {
          description: streams ? STREAMED_OR_WHOLE : "The answer",
          headers: answerHeaders,
          content: { ...json(answer), ...(streams && events) },
        },
        ...errorsAs(error ?? errorAnswer, KEY_ERRORS, CALL_ERRORS),
      },
    });
  }
  registry.registerPath({
    method: "post",
    path: "/v1/run/{route}",
    summary: "Render a route's template with variables and run it",
    security,
    request: {
      params: z.object({ route: z.string() }),
      headers: markHeaders,
      body: { required: true, content: json(runRequest) },
    },
    responses: {
      200: { description: STREAMED_OR_WHOLE, headers: answerHeaders, content: { ...json(runAnswer), ...events } },
      ...errors(KEY_ERRORS, CALL_ERRORS),
    },
  });
  for (const { path, summary, answer } of [
    { path: "/v1/models", summary: "Routes, variants and models the key may call", answer: modelsAnswer },
    { path: "/v1/whoami", summary: "Whose key this is", answer: whoamiAnswer },
    {
      path: "/v1/diagnosis",
      summary: "What is wrong with the gateway, as `modelrig doctor` asks",
      answer: diagnosisAnswer,
    },
  ]) {
    registry.registerPath({
      method: "get",
      path,
      summary,
      security,
      responses: { 200: { description: "OK", content: json(answer) }, ...errors(KEY_ERRORS) },
    });
  }
  for (const { method, path, summary, query, headers, body, status, answer } of [
    ...CONTROL_PATHS,
    ...DATA_PATHS,
    ...RUN_PATHS,
  ]) {
    registry.registerPath({
      method,
      path,
      summary,
      security,
      request: {
        ...paramsOf(path),
        ...(headers && { headers }),
        ...(query && { query }),
        ...(body && { body: { required: true, content: json(body) } }),
      },
      responses: {
        [status]: { description: "OK", content: json(answer) },
        ...errors(KEY_ERRORS, path.includes("{id}") ? { 404: "No such id" } : {}),
        ...(query && errors({ 400: "A parameter of the query cannot be accepted" })),
        ...(body && errors({ 400: "The body cannot be accepted as it is", 409: "The state does not allow it" })),
      },
    });
  }
  registry.registerPath({
    method: "post",
    path: "/v1/query",
    summary: "A question to the telemetry, in a read-only subset of SQL",
    security,
    request: { body: { required: true, content: json(queryRequest) } },
    responses: {
      200: { description: "The answer, or the explanation asked for", content: json(queryAnswer) },
      ...errors(KEY_ERRORS),
      ...errorsAs(queryFault, { 400: "The query cannot be understood", 504: "The query took too long" }),
    },
  });
  registry.registerPath({
    method: "get",
    path: "/v1/export",
    summary: "Everything the org has, as JSON Lines; resumable",
    security,
    request: { query: exportQuery },
    responses: {
      200: { description: "OK", content: { "application/jsonl": { schema: z.string() } } },
      ...errors(KEY_ERRORS, { 400: "A parameter of the query cannot be accepted" }),
    },
  });
  registry.registerPath({
    method: "get",
    path: "/metrics",
    summary: "Prometheus text of the org's last hour",
    security,
    responses: { 200: { description: "OK", content: text }, ...errors(KEY_ERRORS) },
  });
  registry.registerPath({
    method: "get",
    path: "/health",
    summary: "The Worker runs and its bundle loads",
    responses: {
      200: { description: "OK", content: json(healthAnswer) },
      503: { description: "Shutting down", content: json(healthAnswer) },
    },
  });
  return documented.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "modelrig",
      version: "1",
      license: { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" },
    },
    servers: [{ url: "/" }],
  });
}

/** What stands in braces in a path. */
function paramsOf(path: string) {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  if (names.length === 0) return {};
  return { params: z.object(Object.fromEntries(names.map((name) => [name, z.string()]))) };
}

/** `GET /openapi.json`, without a key. Built on the first request: few isolates are ever asked for it. */
export function openapi(app: Hono<AppEnv>): void {
  let document: ReturnType<typeof openapiDocument> | undefined;
  app.get("/openapi.json", (c) => {
    document ??= openapiDocument();
    return c.body(JSON.stringify(document), 200, { "content-type": "application/json" });
  });
}
