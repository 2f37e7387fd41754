import type { Hono } from "hono";
import { routePolicy } from "../../src/call/route-policy.ts";
import { resolveModelWord } from "../../src/route/model-word.ts";
import type { ChatRequest } from "../../src/wire/chat.ts";
import { openaiChatIngress } from "../../src/wire/openai-chat/index.ts";
import { answerResponse, failureResponse, streamResponse } from "../answer.ts";
import { rawPolicy, refuseForeignSchema } from "../call-policy.ts";
import { callerOf } from "../caller.ts";
import { type Caller, liveContext, modelNotFound, requireReach, routeFor, runCall } from "../calls.ts";
import type { AppEnv } from "../context.ts";
import { HttpFault } from "../fault.ts";
import { readJsonBody } from "../limits.ts";
import { type RequestMarks, requestMarks } from "../request-marks.ts";

/** `POST /v1/chat/completions`: the caller's messages as given, to a route, a variant of it, or a raw model. */
export function chatCompletions(app: Hono<AppEnv>): void {
  app.post("/v1/chat/completions", async (c) => {
    const caller = callerOf(c, "call");
    const body = await readJsonBody(c.req.raw, caller.runtime.config.limits);
    const decoded = openaiChatIngress.decodeRequest(body);
    if (!decoded.ok) throw new HttpFault(400, decoded.error);
    const { model, request } = decoded.value;
    const marks = requestMarks(c.req.raw.headers, request.metadata, caller.principal.fixedTags);
    const startedAt = caller.runtime.now();
    const result = await runCall(caller, { ...(await callFor(caller, model, request, marks)), stream: request.stream });
    switch (result.type) {
      case "failure":
        return failureResponse(result, openaiChatIngress);
      case "answer":
        return answerResponse(result, openaiChatIngress);
      case "stream":
        return streamResponse(result, openaiChatIngress, {
          includeUsage: request.includeUsage,
          startedAt,
          keepAliveMs: caller.runtime.config.keepAliveMs,
          simulated: caller.runtime.providers.find(result.head.served.provider)?.simulated === true,
        });
    }
  });
}

async function callFor(caller: Caller, model: string, request: ChatRequest, marks: RequestMarks) {
  const word = resolveModelWord(model);
  if (!word.ok) throw new HttpFault(400, { ...word.error, code: "invalid_model" });
  const requestFor = (): ChatRequest => request;
  switch (word.value.type) {
    case "auto":
      throw modelNotFound("the auto lane is not part of this version; name a route or provider/model");
    case "route": {
      const narrowed = await routeFor(caller, word.value.route, word.value.variant);
      refuseForeignSchema(narrowed, request);
      const policy = routePolicy(narrowed, { allowTrial: false, stream: marks.stream ?? narrowed.route.stream });
      return { context: liveContext(caller.principal, narrowed, marks), policy, requestFor, route: narrowed.route };
    }
    case "raw": {
      const { provider, model: id } = word.value;
      requireReach(caller.principal, `raw:${provider}/${id}`);
      if (!caller.runtime.providers.find(provider)) throw modelNotFound(`no provider is named ${provider}`);
      const policy = rawPolicy(caller.runtime, provider, id, request, marks);
      return { context: liveContext(caller.principal, undefined, marks), policy, requestFor, route: undefined };
    }
  }
}
