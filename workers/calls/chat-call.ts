import type { CallResult } from "../../src/call/call.ts";
import { writtenTags } from "../../src/identity/authorize.ts";
import type { IngressDialect } from "../../src/wire/dialect.ts";
import { HttpFault } from "../http/fault.ts";
import { readJsonBody } from "../http/limits.ts";
import { answerResponse, failureResponse, streamResponse } from "./answer.ts";
import { type Caller, runCall } from "./call-access.ts";
import { callTarget } from "./call-target.ts";
import { orEarly } from "./early-answer.ts";
import type { KeepAnswer } from "./keep-answer.ts";
import { requestMarks } from "./request-marks.ts";

/** A chat call in the client's own dialect, onto whatever dialect its candidates speak. */
export async function serveChat(caller: Caller, raw: Request, ingress: IngressDialect): Promise<Response> {
  const body = await readJsonBody(raw, caller.runtime.config.limits);
  return await answerChat(caller, { body, headers: raw.headers }, ingress);
}

interface ChatBody {
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Headers;
}

/** The same for a body that was read; the answer is kept where `keep` is given. */
export async function answerChat(
  caller: Caller,
  { body, headers }: ChatBody,
  ingress: IngressDialect,
  keep?: KeepAnswer,
): Promise<Response> {
  const decoded = ingress.decodeRequest(body, headers);
  if (!decoded.ok) throw new HttpFault(400, decoded.error);
  const { model } = decoded.value;
  const request = keep ? { ...decoded.value.request, keepsThinking: true } : decoded.value.request;
  const marks = requestMarks(headers, request.metadata, writtenTags(caller.principal));
  const startedAt = caller.runtime.now();
  const target = await callTarget(caller, model, request, marks);
  const keepAliveMs = request.stream ? caller.runtime.config.keepAliveMs : 0;
  const client = {
    dialect: ingress.name,
    takesUsage: request.includeUsage || ingress.name !== "openai-chat",
    keepAlive: keepAliveMs > 0,
    kept: keep !== undefined,
  };
  const call = runCall(caller, { ...target, requestFor: () => request, stream: request.stream, client });
  const { now } = caller.runtime;
  const options = { includeUsage: request.includeUsage, asked: request, startedAt, now, keepAliveMs, keep };
  const respond = (result: CallResult): Response | Promise<Response> => {
    switch (result.type) {
      case "failure":
        return failureResponse(result, ingress);
      case "answer":
        return answerResponse(result, ingress, options);
      case "stream": {
        const simulated = caller.runtime.providers.find(result.head.served.provider)?.simulated === true;
        return streamResponse(result, ingress, { ...options, simulated, background: caller.background });
      }
    }
  };
  return orEarly(call, respond, ingress, options);
}
