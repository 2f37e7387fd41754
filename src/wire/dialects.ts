/** Upstream dialects by name, with what holds for requests to all of them. */
import { anthropicMessages } from "./anthropic-messages/index.ts";
import type { DialectName } from "./chat.ts";
import type { UpstreamDialect } from "./dialect.ts";
import { gemini } from "./gemini/index.ts";
import { openaiChat } from "./openai-chat/index.ts";
import { openaiResponses } from "./openai-responses/index.ts";
import { withinModel } from "./output-limit.ts";

const UPSTREAM: Readonly<Record<DialectName, UpstreamDialect>> = {
  "openai-chat": forAll(openaiChat),
  "openai-responses": forAll(openaiResponses),
  "anthropic-messages": forAll(anthropicMessages),
  gemini: forAll(gemini),
};

export function upstreamDialect(name: DialectName): UpstreamDialect {
  return UPSTREAM[name];
}

function forAll(dialect: UpstreamDialect): UpstreamDialect {
  return {
    ...dialect,
    encodeRequest(request, target) {
      const fitted = withinModel(request, target);
      const encoded = dialect.encodeRequest(fitted.request, target);
      if (!encoded.ok) return encoded;
      return { ok: true, value: { ...encoded.value, dropped: [...fitted.dropped, ...encoded.value.dropped] } };
    },
  };
}
