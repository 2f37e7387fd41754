/** Upstream dialects by name, with what holds for requests to all of them. */
import { type Failure, failure } from "../failure/failure.ts";
import { arrayAt, type JsonRecord, recordAt, stringAt } from "../json/record.ts";
import { anthropicMessages } from "./anthropic-messages/index.ts";
import type { ChatRequest, DialectName, ToolDefinition } from "./chat.ts";
import type { DroppedField, UpstreamDialect, WireTarget } from "./dialect.ts";
import { decodingClientCalls, withClientCalls } from "./fit/client-calls.ts";
import { type ClientTools, withFunctions } from "./fit/client-tools.ts";
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

// What a request cannot lose on its way to another dialect: without it the caller would get another kind of answer than
// asked for, so the request is refused. Whatever else has no form there is left out and named.

/** Fields of a client's body that only its own dialect supports and whose loss changes the answer. */
const INDISPENSABLE: Readonly<Record<string, (body: JsonRecord) => boolean>> = {
  audio: (body) => recordAt(body, "audio") !== undefined,
  modalities: (body) => arrayAt(body, "modalities")?.includes("audio") === true,
  web_search_options: (body) => recordAt(body, "web_search_options") !== undefined,
  mcp_servers: (body) => (arrayAt(body, "mcp_servers")?.length ?? 0) > 0,
  container: (body) => body["container"] != null,
  fallbacks: (body) => body["fallbacks"] != null,
};

function refusedLoss(request: ChatRequest, dialect: DialectName): Failure | undefined {
  const { native, unmapped = [] } = request;
  if (native === undefined || native.dialect === dialect) return undefined;
  const field = Object.keys(INDISPENSABLE).find((name) => INDISPENSABLE[name]?.(native.body));
  if (field !== undefined) return refusal(field, `${field} is honoured only by ${native.dialect} upstreams`);
  if (unmapped.includes("tool_choice"))
    return refusal("tool_choice", `this form of tool_choice is honoured only by ${native.dialect} upstreams`);
  const foreign = request.messages.findIndex(
    ({ role, content }) =>
      role === "user" && content.some((part) => part.type === "native" && part.dialect !== dialect),
  );
  if (foreign >= 0)
    return refusal(`messages[${foreign}].content`, `it holds content that only ${native.dialect} upstreams can read`);
  if (unmapped.some((path) => path.endsWith(".citations")))
    return refusal("messages.content.citations", `citations are made only by ${native.dialect} upstreams`);
  return undefined;
}

/** The tools an upstream of `dialect` can be given, and the others by name; a failure where the request needs those. */
function carriedTools(
  request: ChatRequest,
  dialect: DialectName,
): { readonly tools: readonly ToolDefinition[] | undefined; readonly dropped: readonly DroppedField[] } | Failure {
  const { tools, toolChoice } = request;
  const lost = (tools ?? []).flatMap((tool, at) => (isCarried(tool, dialect) ? [] : [{ tool, field: `tools[${at}]` }]));
  const [first] = lost;
  if (tools === undefined || first === undefined) return { tools, dropped: [] };
  const left = tools.filter((tool) => isCarried(tool, dialect));
  const forced = toolChoice === "required" || typeof toolChoice === "object";
  if (toolChoice !== "none" && (forced || left.length === 0)) {
    const type = first.tool.type === "native" ? (stringAt(first.tool.value, "type") ?? "this kind") : first.tool.name;
    return refusal(first.field, `a tool of type ${type} works only at providers of its own dialect`);
  }
  const why = "a tool that works only at providers of its own dialect";
  return { tools: left, dropped: lost.map(({ field }) => ({ field, why })) };
}

function isCarried(tool: ToolDefinition, dialect: DialectName): boolean {
  return tool.type === "function" || tool.dialect === dialect;
}

function refusal(param: string, message: string): Failure {
  return failure("bad_request", message, { reason: "unsupported_parameter", param });
}
