import type { Hono } from "hono";
import type { AppEnv } from "../../context.ts";

const TEXT = `# modelrig

> An LLM gateway you own, at the edge. Point any OpenAI client at this origin plus /v1, or Anthropic's client at
> this origin.

Every request needs a key: \`Authorization: Bearer rig_sk_…\` or \`x-api-key\`. The OpenAPI document is at /openapi.json.

## Calls

- POST /v1/chat/completions: \`model\` is a route (\`example.support_summarize\`), a variant of it
  (\`example.support_summarize@cheap\`) or a raw model (\`openai/gpt-5.4-mini\`). Messages are sent as given; a route adds
  its candidates, output schema, retries, limits and fallbacks.
- POST /v1/messages (and /v1/messages/count_tokens), POST /v1/responses: the same in the form of Anthropic's Messages API
  and OpenAI's Responses API, onto any provider. POST /v1/embeddings: vectors from OpenAI-compatible providers and Gemini.
- POST /v1/run/{route}: \`{ "input": { … } }\` renders the route's own template and answers \`{ output, text, meta }\`.
- GET /v1/models: the routes, variants and models this key may call.
- GET /v1/whoami: the org, scopes and reach of the key.
- GET /metrics: Prometheus text of the last hour (scope read).

## What an answer says

- x-modelrig-served: provider/model that really answered. x-modelrig-rung: how its JSON was reached.
- x-modelrig-cost-usd: exact cost of all attempts, absent when a price is unknown and on streams.
- x-modelrig-dropped: request fields the serving model could not honour.
- Errors have the shape of the API called, and carry failure_class and the attempts made: { error: { message, type, code, param, failure_class, inference_id, attempts } }.

## Optional request headers

- x-modelrig-tags: key=value,… ; x-modelrig-run and x-modelrig-step: ids to book the call under.
- x-modelrig-stream: validated: stream only a complete answer that passed the schema.
`;

/** `GET /llms.txt`, without a key. */
export function mountLlmsTxt(app: Hono<AppEnv>): void {
  app.get("/llms.txt", (c) => c.text(TEXT));
}
