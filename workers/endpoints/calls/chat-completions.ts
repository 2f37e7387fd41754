import type { Hono } from "hono";
import { openaiChatIngress } from "../../../src/wire/openai-chat/index.ts";
import { serveChat } from "../../chat-call.ts";
import type { AppEnv } from "../../context.ts";

/** `POST /v1/chat/completions`: the caller's messages as given, to a route, a variant of it, or a raw model. */
export function chatCompletions(app: Hono<AppEnv>): void {
  app.post("/v1/chat/completions", (c) => serveChat(c, openaiChatIngress));
}
