/** Upstream dialects by name, with what holds for requests to all of them. */
import { anthropicMessages } from "./anthropic-messages/index.ts";
import type { ChatRequest, DialectName } from "./chat.ts";
import type { DroppedField, UpstreamDialect, WireTarget } from "./dialect.ts";
import { decodingClientCalls, withClientCalls } from "./fit/client-calls.ts";
import { type ClientTools, withFunctions } from "./fit/client-tools.ts";
import { carriedTools, refusedLoss } from "./fit/indispensable.ts";
import { gemini } from "./gemini/index.ts";
import { openaiChat } from "./openai-chat/index.ts";
import { openaiResponses } from "./openai-responses/index.ts";

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
      const refused = refusedLoss(request, dialect.name);
      if (refused) return { ok: false, error: refused };
      const carried = carriedTools(request, dialect.name);
      if ("class" in carried) return { ok: false, error: carried };
      const fitted = withinModel({ ...request, tools: carried.tools }, target);
      const { request: sent } = clientToolsFor(dialect.name, fitted.request, target);
      const encoded = dialect.encodeRequest(sent, target);
      if (!encoded.ok) return encoded;
      const dropped = [...(request.leftOut ?? []), ...carried.dropped, ...fitted.dropped, ...encoded.value.dropped];
      return { ok: true, value: { ...encoded.value, dropped } };
    },
    decodeAnswer(body, target) {
      const decoded = dialect.decodeAnswer(body, target);
      const tools = target.clientTools;
      return decoded.ok && tools ? { ok: true, value: withClientCalls(decoded.value, tools) } : decoded;
    },
    streamDecoder(target) {
      const decoder = dialect.streamDecoder(target);
      return target.clientTools ? decodingClientCalls(decoder, target.clientTools) : decoder;
    },
  };
}

/**
 * Returns the request with the client's tools as functions, and the tools behind these names. An upstream of the
 * client's own dialect gets the tools unchanged where it supports them.
 */
export function clientToolsFor(
  dialect: DialectName,
  request: ChatRequest,
  { quirks }: Pick<WireTarget, "quirks">,
): { readonly request: ChatRequest; readonly tools: ClientTools } {
  const own = request.native?.dialect === dialect && (dialect !== "openai-chat" || quirks.customTools === true);
  return own ? { request, tools: new Map() } : withFunctions(request);
}

/** The request with an output limit that the model takes: one above its known maximum is lowered and named. */
function withinModel(
  request: ChatRequest,
  { model, maxOutput, facts }: WireTarget,
): { readonly request: ChatRequest; readonly dropped: readonly DroppedField[] } {
  const asked = request.maxOutputTokens;
  if (asked === undefined || maxOutput === undefined || asked <= maxOutput || facts?.maxOutputAssumed)
    return { request, dropped: [] };
  return {
    request: { ...request, maxOutputTokens: maxOutput },
    dropped: [{ field: "max_tokens", why: `sent as ${maxOutput}, the most ${model} puts out` }],
  };
}
