/** Neutral request → body of `generateContent` and `streamGenerateContent`. */
import { failure, type Result } from "../../failure/failure.ts";
import { toStrictSubset } from "../../json/strict/strict-subset.ts";
import type { ChatRequest, FunctionTool } from "../chat.ts";
import type { DroppedField, EncodedRequest, WireTarget } from "../dialect.ts";
import { reportLost } from "../fit/lost-fields.ts";
import { encodeContents, systemParts } from "./contents.ts";
import { thinkingConfig } from "./thinking.ts";

type Body = Record<string, unknown>;

export function encodeRequest(request: ChatRequest, target: WireTarget): Result<EncodedRequest> {
  const tier = request.serviceTier;
  if (tier === "flex" || tier === "priority" || tier === "batch") {
    return bad("service_tier", `generateContent has no ${tier} tier; use auto or default`);
  }
  const dropped: DroppedField[] = [];
  const contents = encodeContents(request.messages, target, dropped);
  if (!contents.ok) return contents;
  const format = responseFormat(request);
  if (!format.ok) return format;
  const system = systemParts(request.messages, request.instructions);
  const generationConfig = { ...generation(request, target, dropped), ...format.value };
  const body: Body = {
    contents: contents.value,
    ...(system.length > 0 ? { systemInstruction: { parts: system } } : {}),
    ...toolFields(request, dropped),
    ...(Object.keys(generationConfig).length > 0 ? { generationConfig } : {}),
    ...target.quirks.extraBody,
  };
  if (tier !== undefined && tier !== "auto")
    dropped.push({ field: "service_tier", why: "generateContent has one tier only" });
  reportUnsupported(request, dropped);
  reportLost(request, "gemini", { names: false, imageDetail: false, toolErrors: true, cache: false }, dropped);
  const method = request.stream ? "streamGenerateContent?alt=sse" : "generateContent";
  return {
    ok: true,
    value: { path: `/models/${encodeURIComponent(target.model)}:${method}`, headers: {}, body, dropped },
  };
}

function generation(request: ChatRequest, target: WireTarget, dropped: DroppedField[]): Body {
  const thinking = thinkingConfig(request.reasoning, target, dropped);
  const fields = {
    temperature: request.temperature,
    topP: request.topP,
    topK: request.topK,
    maxOutputTokens: request.maxOutputTokens,
    stopSequences: request.stop,
    seed: request.seed,
    candidateCount: request.choices,
    presencePenalty: request.presencePenalty,
    frequencyPenalty: request.frequencyPenalty,
    responseLogprobs: request.logprobs,
    logprobs: request.topLogprobs,
    thinkingConfig: thinking,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function responseFormat(request: ChatRequest): Result<Body> {
  const format = request.responseFormat;
  if (format?.type === "json_object") return { ok: true, value: { responseMimeType: "application/json" } };
  if (format?.type !== "json_schema") return { ok: true, value: {} };
  const subset = toStrictSubset(format.schema, "gemini");
  if (subset.ok)
    return { ok: true, value: { responseMimeType: "application/json", responseSchema: subset.value.schema } };
  const where = subset.error.map((fault) => `${fault.pointer || "/"}: ${fault.why}`).join("; ");
  return bad("response_format", `Gemini cannot enforce this schema (${where})`, "schema_too_complex");
}

function toolFields(request: ChatRequest, dropped: DroppedField[]): Body {
  const functions: FunctionTool[] = [];
  const builtIn: unknown[] = [];
  for (const tool of request.tools ?? []) {
    if (tool.type === "function") {
      functions.push(tool);
      if (tool.strict) dropped.push({ field: "tools[].function.strict", why: "Gemini does not enforce parameters" });
    } else builtIn.push(tool.value);
  }
  const declarations = functions.length > 0 ? [{ functionDeclarations: functions.map(declaration) }] : [];
  const tools = [...declarations, ...builtIn];
  if (tools.length === 0) return {};
  if (request.parallelToolCalls === false)
    dropped.push({ field: "parallel_tool_calls", why: "Gemini decides by itself how many calls it makes" });
  const config = callingConfig(request);
  return { tools, ...(config ? { toolConfig: { functionCallingConfig: config } } : {}) };
}

/** JSON Schema is taken as it is here, with references and additionalProperties. */
function declaration(tool: FunctionTool): Body {
  return {
    name: tool.name,
    ...(tool.description === undefined ? {} : { description: tool.description }),
    ...(tool.parameters === undefined ? {} : { parametersJsonSchema: tool.parameters }),
  };
}

function callingConfig(request: ChatRequest): Body | undefined {
  switch (request.toolChoice) {
    case undefined:
      return undefined;
    case "auto":
      return { mode: "AUTO" };
    case "none":
      return { mode: "NONE" };
    case "required":
      return { mode: "ANY" };
    default:
      return { mode: "ANY", allowedFunctionNames: [request.toolChoice.name] };
  }
}

function reportUnsupported(request: ChatRequest, dropped: DroppedField[]): void {
  const fields = { logit_bias: request.logitBias, user: request.user, metadata: request.metadata };
  for (const [field, value] of Object.entries(fields)) {
    if (value !== undefined) dropped.push({ field, why: "not part of generateContent" });
  }
}

function bad(
  param: string,
  message: string,
  reason: "unsupported_parameter" | "schema_too_complex" = "unsupported_parameter",
) {
  return { ok: false as const, error: failure("bad_request", message, { reason, param }) };
}
