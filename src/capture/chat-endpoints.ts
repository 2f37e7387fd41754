import { anthropicMessagesIngress } from "../wire/anthropic-messages/index.ts";
import type { IngressDialect } from "../wire/dialect.ts";
import { openaiChatIngress } from "../wire/openai-chat/index.ts";
import { openaiResponsesIngress } from "../wire/openai-responses/index.ts";

const ENDPOINTS: Readonly<Record<string, IngressDialect>> = {
  "/v1/chat/completions": openaiChatIngress,
  "/v1/messages": anthropicMessagesIngress,
  "/v1/responses": openaiResponsesIngress,
};

/** Returns the dialect of a chat endpoint of the gateway; undefined for any other path. */
export function chatIngress(path: string): IngressDialect | undefined {
  return ENDPOINTS[path.replace(/\/$/, "")];
}
