/** Neutral request → body of `POST /messages`. */
import { type Failure, failure, type Result } from "../../failure/failure.ts";
import { toStrictSubset } from "../../json/strict/strict-subset.ts";
import type { ChatRequest, FunctionTool } from "../chat.ts";
import type { DroppedField, EncodedRequest, WireTarget } from "../dialect.ts";
import { reportLost } from "../fit/lost-fields.ts";
import { limitBreakpoints } from "./cache-control.ts";
import { mendPrompt } from "./mend.ts";
import { encodeMessages, systemBlocks } from "./messages.ts";
import { fitSampling } from "./sampling.ts";
import { isForced, limitWithThinking, thinking } from "./thinking.ts";

const VERSION = "2023-06-01";
/** The API refuses a request without `max_tokens`; used where caller, candidate and model set none. */
const DEFAULT_MAX_TOKENS = 8_192;

/** Request fields that the Messages API does not have. */
const UNSUPPORTED = {
  seed: "seed",
  presencePenalty: "presence_penalty",
  frequencyPenalty: "frequency_penalty",
  topLogprobs: "top_logprobs",
  logitBias: "logit_bias",
} as const;

type Body = Record<string, unknown>;

export function encodeRequest(request: ChatRequest, target: WireTarget): Result<EncodedRequest> {
  const refused = refuse(request);
  if (refused) return { ok: false, error: refused };
  const dropped: DroppedField[] = [];
  const format = outputFormat(request);
  if (!format.ok) return format;
  const native = request.native?.dialect === "anthropic-messages" ? request.native.body : undefined;
  const prompt = native ? nativePrompt(native, request) : canonicalPrompt(request, dropped);
  if (!prompt.ok) return prompt;

  const body: Body = { ...native, ...prompt.value, model: target.model, stream: request.stream };
  body["max_tokens"] = outputLimit(request, target);
  setFormat(body, format.value);
  Object.assign(
    body,
    sampling(request, dropped),
    toolFields(request, native !== undefined, dropped),
    tierField(request),
  );
  if (request.user !== undefined && !native) body["metadata"] = { user_id: request.user };
  if (request.metadata !== undefined && !native)
    dropped.push({ field: "metadata", why: "the Messages API takes user_id only" });
  mendPrompt(body);
  thinking(body, request, target, dropped);
  fitSampling(body, target, dropped);
  if (target.facts?.forcedTools === false && isForced(body["tool_choice"]))
    return { ok: false, error: refusal("tool_choice", `${target.model} refuses a forced tool; use auto`) };
  for (const [key, field] of Object.entries(UNSUPPORTED)) {
    if (request[key as keyof typeof UNSUPPORTED] !== undefined)
      dropped.push({ field, why: "not part of the Messages API" });
  }
  reportLost(
    request,
    "anthropic-messages",
    { names: false, imageDetail: false, toolErrors: true, cache: true },
    dropped,
  );
  for (const field of target.quirks.omit ?? []) {
    if (field in body) dropped.push({ field, why: `${target.provider} refuses it` });
    delete body[field];
  }
  if (!native) limitBreakpoints(body, dropped);
  const headers = { "anthropic-version": VERSION, ...(native ? request.native?.headers : undefined) };
  return { ok: true, value: { path: "/messages", headers, body, dropped } };
}

/** The caller's limit, else the model's, else one with room for the wanted thinking and an answer. */
function outputLimit(request: ChatRequest, target: WireTarget): number {
  const given = request.maxOutputTokens ?? target.maxOutput;
  return given ?? limitWithThinking(request, DEFAULT_MAX_TOKENS, target) ?? DEFAULT_MAX_TOKENS;
}

/** The neutral format wins over the client's own: on a coached rung there is none. */
function setFormat(body: Body, format: Body | undefined): void {
  delete body["output_format"];
  const { format: _own, ...config } = objectOf(body["output_config"]);
  const wanted = format ? { ...config, format } : config;
  if (Object.keys(wanted).length > 0) body["output_config"] = wanted;
  else delete body["output_config"];
}

/** What cannot be left out without changing what the caller gets. */
function refuse(request: ChatRequest): Failure | undefined {
  if ((request.choices ?? 1) > 1) return refusal("n", "Anthropic models give one answer per request; n must be 1");
  if (request.logprobs) return refusal("logprobs", "Anthropic models give no log probabilities");
  if (request.serviceTier === "flex" || request.serviceTier === "batch") {
    return refusal("service_tier", `Anthropic has no ${request.serviceTier} tier; use auto or default`);
  }
  return undefined;
}

function refusal(param: string, message: string): Failure {
  return failure("bad_request", message, { reason: "unsupported_parameter", param });
}

function nativePrompt(native: Readonly<Body>, request: ChatRequest): Result<Body> {
  if (request.instructions === undefined) return { ok: true, value: {} };
  const system = native["system"];
  const given = typeof system === "string" ? [{ type: "text", text: system }] : Array.isArray(system) ? system : [];
  return { ok: true, value: { system: [...given, { type: "text", text: request.instructions }] } };
}

function canonicalPrompt(request: ChatRequest, dropped: DroppedField[]): Result<Body> {
  const messages = encodeMessages(request.messages, dropped);
  if (!messages.ok) return messages;
  const system = systemBlocks(request);
  return { ok: true, value: { ...(system.length > 0 ? { system } : {}), messages: messages.value } };
}

function outputFormat(request: ChatRequest): Result<Body | undefined> {
  const format = request.responseFormat;
  // The engine asks for JSON in words and checks the answer; a format alone would not be enforced.
  if (format?.type === "json_object")
    return { ok: false, error: refusal("response_format", "the Messages API has no JSON mode without a schema") };
  if (format?.type !== "json_schema") return { ok: true, value: undefined };
  const subset = toStrictSubset(format.schema, "anthropic");
  if (subset.ok) return { ok: true, value: { type: "json_schema", schema: subset.value.schema } };
  const where = subset.error.map((fault) => `${fault.pointer || "/"}: ${fault.why}`).join("; ");
  return {
    ok: false,
    error: failure("bad_request", `Anthropic cannot enforce this schema (${where})`, {
      reason: "schema_too_complex",
      param: "response_format",
    }),
  };
}

function sampling(request: ChatRequest, dropped: DroppedField[]): Body {
  const fields: Body = {};
  if (request.temperature !== undefined) fields["temperature"] = request.temperature;
  if (request.topP !== undefined) fields["top_p"] = request.topP;
  if (request.topK !== undefined) fields["top_k"] = request.topK;
  if (request.stop !== undefined) {
    const usable = request.stop.filter((sequence) => sequence.trim() !== "");
    if (usable.length > 0) fields["stop_sequences"] = usable;
    if (usable.length < request.stop.length)
      dropped.push({ field: "stop", why: "Anthropic refuses stop sequences of white space only" });
  }
  return fields;
}

function toolFields(request: ChatRequest, native: boolean, dropped: DroppedField[]): Body {
  if (native) return {};
  const fields: Body = {};
  if (request.tools && request.tools.length > 0)
    fields["tools"] = request.tools.map((tool) => (tool.type === "native" ? tool.value : functionTool(tool, dropped)));
  const choice = toolChoice(request);
  if (choice) fields["tool_choice"] = choice;
  return fields;
}

function toolChoice(request: ChatRequest): Body | undefined {
  const { toolChoice: choice, parallelToolCalls, tools } = request;
  if (tools === undefined || tools.length === 0) return undefined;
  const single = parallelToolCalls === false ? { disable_parallel_tool_use: true } : {};
  if (choice === undefined) return parallelToolCalls === false ? { type: "auto", ...single } : undefined;
  if (choice === "none") return { type: "none" };
  if (choice === "auto") return { type: "auto", ...single };
  if (choice === "required") return { type: "any", ...single };
  return { type: "tool", name: choice.name, ...single };
}

function functionTool(tool: FunctionTool, dropped: DroppedField[]): Body {
  const strict = tool.strict === true && tool.parameters ? toStrictSubset(tool.parameters, "anthropic") : undefined;
  if (strict && !strict.ok)
    dropped.push({ field: "tools[].function.strict", why: `Anthropic cannot enforce the parameters of ${tool.name}` });
  return {
    name: tool.name,
    ...(tool.description === undefined ? {} : { description: tool.description }),
    input_schema: (strict?.ok ? strict.value.schema : tool.parameters) ?? { type: "object", properties: {} },
    ...(strict?.ok ? { strict: true } : {}),
    ...(tool.cache ? { cache_control: { type: "ephemeral", ttl: tool.cache.ttl } } : {}),
  };
}

/** Anthropic's `auto` may serve priority capacity; `standard_only` never does. */
function tierField(request: ChatRequest): Body {
  switch (request.serviceTier) {
    case undefined:
      return {};
    case "default":
    case "standard":
    case "standard_only":
      return { service_tier: "standard_only" };
    default:
      return { service_tier: "auto" };
  }
}

function objectOf(value: unknown): Body {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
