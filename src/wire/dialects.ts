/** Upstream dialects by name. */
import { anthropicMessages } from "./anthropic-messages/index.ts";
import type { DialectName } from "./chat.ts";
import type { UpstreamDialect } from "./dialect.ts";
import { gemini } from "./gemini/index.ts";
import { openaiChat } from "./openai-chat/index.ts";
import { openaiResponses } from "./openai-responses/index.ts";

const UPSTREAM: Readonly<Record<DialectName, UpstreamDialect>> = {
  "openai-chat": openaiChat,
  "openai-responses": openaiResponses,
  "anthropic-messages": anthropicMessages,
  gemini,
};

export function upstreamDialect(name: DialectName): UpstreamDialect {
  return UPSTREAM[name];
}
