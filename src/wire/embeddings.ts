/** How each dialect's upstreams are asked for embeddings. */
import type { DialectName } from "./chat.ts";
import type { UpstreamDialect } from "./dialect.ts";
import { upstreamDialect } from "./dialects.ts";
import { type EmbeddingDialect, type EmbeddingRequest, embeddingAnswer } from "./embedding.ts";
import { geminiEmbeddings } from "./gemini/embedding.ts";
import { openaiEmbeddings } from "./openai-chat/embedding.ts";

/** Anthropic has no embedding models. */
const EMBEDDINGS: Readonly<Record<DialectName, EmbeddingDialect | undefined>> = {
  "openai-chat": openaiEmbeddings,
  "openai-responses": openaiEmbeddings,
  "anthropic-messages": undefined,
  gemini: geminiEmbeddings,
};

export function hasEmbeddings(name: DialectName): boolean {
  return EMBEDDINGS[name] !== undefined;
}

/** The dialect as the engine speaks it for one embedding call; undefined where its upstreams have no embeddings. */
export function embeddingDialect(name: DialectName, request: EmbeddingRequest): UpstreamDialect | undefined {
  const embeddings = EMBEDDINGS[name];
  return (
    embeddings && {
      ...upstreamDialect(name),
      encodeRequest: (_chat, target) => embeddings.encodeRequest(request, target),
      decodeAnswer(body, target) {
        const list = embeddings.decodeAnswer(body, request, target);
        return list.ok ? { ok: true, value: embeddingAnswer(list.value) } : list;
      },
    }
  );
}
