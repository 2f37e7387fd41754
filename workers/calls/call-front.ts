/**
 * The calls that applications make all the time, answered without the router of everything else: limits, key, scope and
 * refusals are those of every endpoint, and `app.ts` mounts the same handlers.
 */
import { anthropicMessagesIngress } from "../../src/wire/anthropic-messages/index.ts";
import { openaiChatIngress } from "../../src/wire/openai-chat/index.ts";
import type { Env } from "../bindings.ts";
import { runtimeOf } from "../compose.ts";
import { principalOf, requireScope } from "../http/auth.ts";
import { allowOrigin } from "../http/cors.ts";
import { faultAnswer } from "../http/fault-answer.ts";
import { checkHead } from "../http/limits.ts";
import type { Caller } from "./call-access.ts";
import { serveChat } from "./chat-call.ts";
import { serveEmbeddings } from "./embedding-call.ts";
import { serveResponses } from "./responses-call.ts";

type CallHandler = (caller: Caller, request: Request) => Promise<Response>;

/** By path, each for `POST`. */
export const CALLS: ReadonlyMap<string, CallHandler> = new Map<string, CallHandler>([
  ["/v1/chat/completions", (caller, request) => serveChat(caller, request, openaiChatIngress)],
  ["/v1/messages", (caller, request) => serveChat(caller, request, anthropicMessagesIngress)],
  ["/v1/responses", serveResponses],
  ["/v1/embeddings", serveEmbeddings],
]);

/** Undefined where the request is none of these calls. Never rejects. */
export function serveCall(
  request: Request,
  env: Env,
  context: Pick<ExecutionContext, "waitUntil">,
): Promise<Response> | undefined {
  const serve = request.method === "POST" ? CALLS.get(pathOf(request.url)) : undefined;
  return serve && served(request, env, context, serve);
}

async function served(
  request: Request,
  env: Env,
  context: Pick<ExecutionContext, "waitUntil">,
  serve: CallHandler,
): Promise<Response> {
  const response = await answered(request, env, context, serve);
  allowOrigin(response.headers, request, runtimeOf(env).config.cors);
  return response;
}

async function answered(
  request: Request,
  env: Env,
  context: Pick<ExecutionContext, "waitUntil">,
  serve: CallHandler,
): Promise<Response> {
  try {
    const runtime = runtimeOf(env);
    const background = (work: Promise<unknown>): void => context.waitUntil(work);
    checkHead(request.headers, runtime.config.limits);
    const principal = await principalOf(request.headers, runtime, background);
    requireScope(principal, "call");
    return await serve({ runtime, principal, background, signal: request.signal }, request);
  } catch (error) {
    return faultAnswer(error, pathOf(request.url));
  }
}

/** Of an absolute URL, as it was written. */
function pathOf(url: string): string {
  const from = url.indexOf("/", url.indexOf("://") + 3);
  const query = url.indexOf("?", from);
  return query === -1 ? url.slice(from) : url.slice(from, query);
}
