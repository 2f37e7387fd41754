import type { Hono } from "hono";
import { openaiResponsesIngress } from "../../../src/wire/openai-responses/index.ts";
import { serveChat } from "../../chat-call.ts";
import type { AppEnv } from "../../context.ts";

/** `POST /v1/responses`, without stored state: the whole input travels in every request. */
export function responses(app: Hono<AppEnv>): void {
  app.post("/v1/responses", (c) => serveChat(c, openaiResponsesIngress));
}
