import type { Context, Hono } from "hono";
import { countTokens } from "../../../src/call/count-tokens.ts";
import { anthropicMessagesIngress } from "../../../src/wire/anthropic-messages/index.ts";
import type { IngressDialect } from "../../../src/wire/dialect.ts";
import { openaiResponsesIngress } from "../../../src/wire/openai-responses/index.ts";
import { failureFault } from "../../calls/answer.ts";
import type { Caller } from "../../calls/call-access.ts";
import { callTarget } from "../../calls/call-target.ts";
import { requestMarks } from "../../calls/request-marks.ts";
import type { AppEnv } from "../../context.ts";
import { HttpFault } from "../../http/fault.ts";
import { readJsonBody } from "../../http/limits.ts";
import { requestIdHeader } from "../../http/request-id.ts";
import { callerOf } from "../caller.ts";
import { continueResponse } from "../responses/continue-response.ts";

/** `POST /v1/messages/count_tokens` and `/v1/responses/input_tokens`. Nothing of a count is billed or recorded. */
export function mountTokenCount(app: Hono<AppEnv>): void {
  app.post("/v1/messages/count_tokens", async (c) => {
    const caller = callerOf(c, "call");
    // The one field that a call must have and a count has not.
    const body = { max_tokens: 1, ...(await bodyOf(caller, c)) };
    const { count, headers } = await counted(caller, c.req.raw.headers, body, anthropicMessagesIngress);
    return c.json(count, 200, { ...headers, ...requestIdHeader() });
  });

  app.post("/v1/responses/input_tokens", async (c) => {
    const caller = callerOf(c, "call");
    const asked = { input: "", ...(await bodyOf(caller, c)), store: false };
    const { responsesStore } = caller.runtime.config;
    const { body } = responsesStore ? await continueResponse(caller, asked, responsesStore) : { body: asked };
    const { count, headers } = await counted(caller, c.req.raw.headers, body, openaiResponsesIngress);
    return c.json({ object: "response.input_tokens", ...count }, 200, headers);
  });
}

function bodyOf({ runtime }: Caller, c: Context<AppEnv>): Promise<Record<string, unknown>> {
  return readJsonBody(c.req.raw, runtime.config.limits);
}

async function counted(
  caller: Caller,
  headers: Headers,
  body: Readonly<Record<string, unknown>>,
  ingress: IngressDialect,
) {
  const decoded = ingress.decodeRequest(body, headers);
  if (!decoded.ok) throw new HttpFault(400, decoded.error);
  const { model, request } = decoded.value;
  const { policy } = await callTarget(caller, model, request, requestMarks(headers, undefined, {}));
  const ports = caller.runtime.callPorts(caller.principal.org, caller.background);
  const count = await countTokens(request, policy, ports, caller.signal);
  if (!count.ok) throw failureFault(count.error);
  const { inputTokens, estimated, served } = count.value;
  return {
    count: { input_tokens: inputTokens, estimated },
    headers: { "x-modelrig-served": served, "x-modelrig-estimated": String(estimated) },
  };
}
