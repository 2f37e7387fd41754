/** Body of a client's `POST /chat/completions` → neutral request. Unknown fields are kept in `native` and named. */
import { err, failure, ok, type Result } from "../../failure/failure.ts";
import { isRecord, type JsonRecord } from "../../json/record.ts";
import type { ChatRequest, JsonSchema, ReasoningOptions, ResponseFormat, ToolChoice, ToolDefinition } from "../chat.ts";
import { withOrigin } from "../origin.ts";
import { NEUTRAL_FIELDS } from "./fields.ts";
import {
  filledString,
  given,
  InvalidField,
  oneOf,
  optionalBoolean,
  optionalInteger,
  optionalNumber,
  optionalRecord,
  optionalString,
  requiredArray,
  requiredRecord,
  requiredString,
  UnmappedFields,
} from "./ingress-fields.ts";
import { decodeMessages } from "./ingress-messages.ts";
import { cacheOf } from "./ingress-parts.ts";

const DIALECT = "openai-chat";
const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
/** OpenAI's own ceiling; also keeps the worst case of a call within reason. */
const MOST_CHOICES = 128;
const TOOL_FIELDS: ReadonlySet<string> = new Set(["type", "function", "cache_control"]);
const FUNCTION_FIELDS: ReadonlySet<string> = new Set(["name", "description", "parameters", "strict"]);
const FORMAT_FIELDS: ReadonlySet<string> = new Set(["type", "json_schema"]);
const SCHEMA_FIELDS: ReadonlySet<string> = new Set(["name", "description", "schema", "strict"]);
const REASONING_FIELDS: ReadonlySet<string> = new Set(["effort", "max_tokens", "summary"]);
const STREAM_FIELDS: ReadonlySet<string> = new Set(["include_usage"]);

export function decodeRequest(body: JsonRecord): Result<{ readonly model: string; readonly request: ChatRequest }> {
  try {
    const model = filledString(body["model"], "model");
    return ok({ model, request: readRequest(body) });
  } catch (error) {
    if (!(error instanceof InvalidField)) throw error;
    return err(failure("bad_request", error.message, { param: error.param }));
  }
}

function readRequest(body: JsonRecord): ChatRequest {
  const unmapped = new UnmappedFields();
  unmapped.note(body, NEUTRAL_FIELDS, "");
  const messages = decodeMessages(body["messages"], unmapped);
  const options = optionalRecord(body, "stream_options");
  if (options) unmapped.note(options, STREAM_FIELDS, "stream_options");
  const request: ChatRequest = {
    messages,
    tools: tools(body, unmapped),
    toolChoice: toolChoice(body, unmapped),
    parallelToolCalls: optionalBoolean(body, "parallel_tool_calls"),
    responseFormat: responseFormat(body, unmapped),
    maxOutputTokens: optionalInteger(body, "max_completion_tokens", 1) ?? optionalInteger(body, "max_tokens", 1),
    ...sampling(body),
    reasoning: reasoning(body, unmapped),
    serviceTier: optionalString(body, "service_tier"),
    user: optionalString(body, "user"),
    metadata: optionalRecord(body, "metadata"),
    stream: optionalBoolean(body, "stream") ?? false,
    includeUsage: options
      ? (optionalBoolean(options, "include_usage", "stream_options.include_usage") ?? false)
      : false,
    native: { dialect: DIALECT, body },
  };
  const { paths } = unmapped;
  return paths.length === 0 ? request : { ...request, unmapped: paths };
}

function sampling(body: JsonRecord): Partial<ChatRequest> {
  const choices = optionalInteger(body, "n", 1);
  if (choices !== undefined && choices > MOST_CHOICES) {
    throw new InvalidField("n", `n must be a whole number from 1 to ${MOST_CHOICES}`);
  }
  return {
    temperature: optionalNumber(body, "temperature"),
    topP: optionalNumber(body, "top_p"),
    topK: optionalNumber(body, "top_k"),
    stop: stop(given(body, "stop")),
    seed: optionalNumber(body, "seed"),
    choices,
    presencePenalty: optionalNumber(body, "presence_penalty"),
    frequencyPenalty: optionalNumber(body, "frequency_penalty"),
    logprobs: optionalBoolean(body, "logprobs"),
    topLogprobs: optionalInteger(body, "top_logprobs", 0),
    logitBias: logitBias(optionalRecord(body, "logit_bias")),
  };
}

function stop(value: unknown): readonly string[] | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "string") return [value];
  return requiredArray(value, "stop").map((sequence, index) => requiredString(sequence, `stop[${index}]`));
}

function logitBias(bias: JsonRecord | undefined): Record<string, number> | undefined {
  if (bias === undefined) return undefined;
  const numbers: Record<string, number> = {};
  for (const token of Object.keys(bias)) numbers[token] = optionalNumber(bias, token, `logit_bias.${token}`) ?? 0;
  return numbers;
}

/** `tools`, or the `functions` that they replaced. */
function tools(body: JsonRecord, unmapped: UnmappedFields): readonly ToolDefinition[] | undefined {
  const listed = given(body, "tools");
  if (listed !== undefined) {
    return requiredArray(listed, "tools").map((value, index) => {
      const tool = requiredRecord(value, `tools[${index}]`);
      const type = requiredString(tool["type"], `tools[${index}].type`);
      if (type === "custom") return withOrigin(customTool(tool, `tools[${index}].custom`), DIALECT, tool);
      if (type !== "function") return { type: "native", dialect: DIALECT, value: tool };
      unmapped.note(tool, TOOL_FIELDS, `tools[${index}]`);
      const described = functionTool(requiredRecord(tool["function"], `tools[${index}].function`), index, unmapped);
      return withOrigin({ ...described, ...cacheOf(tool, `tools[${index}]`) }, DIALECT, tool);
    });
  }
  const legacy = given(body, "functions");
  if (legacy === undefined) return undefined;
  return requiredArray(legacy, "functions").map((value, index) =>
    functionTool(requiredRecord(value, `functions[${index}]`), index, unmapped, "functions"),
  );
}

function functionTool(described: JsonRecord, index: number, unmapped: UnmappedFields, list = "tools"): ToolDefinition {
  const path = list === "tools" ? `tools[${index}].function` : `functions[${index}]`;
  unmapped.note(described, FUNCTION_FIELDS, path);
  return {
    type: "function",
    name: filledString(described["name"], `${path}.name`),
    description: optionalString(described, "description", `${path}.description`),
    parameters: schemaOf(given(described, "parameters"), `${path}.parameters`),
    strict: optionalBoolean(described, "strict", `${path}.strict`),
  };
}

function customTool(tool: JsonRecord, path: string): ToolDefinition {
  const described = requiredRecord(tool["custom"], path);
  return {
    type: "function",
    custom: true,
    name: filledString(described["name"], `${path}.name`),
    description: optionalString(described, "description", `${path}.description`),
    format: given(described, "format"),
  };
}

function schemaOf(value: unknown, param: string): JsonSchema | undefined {
  if (value === undefined || typeof value === "boolean" || isRecord(value)) return value;
  throw new InvalidField(param, `${param} must be a JSON schema`);
}

/** A choice of another kind (`allowed_tools`) is left to this dialect's own upstreams. */
function toolChoice(body: JsonRecord, unmapped: UnmappedFields): ToolChoice | undefined {
  const field = given(body, "tool_choice") === undefined ? "function_call" : "tool_choice";
  const choice = given(body, field);
  if (choice === undefined || choice === "auto" || choice === "none" || choice === "required") return choice;
  if (!isRecord(choice)) {
    // Mistral's word for "required".
    if (choice === "any") return "required";
    throw new InvalidField(field, `${field} must be auto, none, required or an object that names a function`);
  }
  if (field === "function_call") return { name: filledString(choice["name"], "function_call.name") };
  if (choice["type"] === "function") {
    const named = requiredRecord(choice["function"], "tool_choice.function");
    return { name: filledString(named["name"], "tool_choice.function.name") };
  }
  if (choice["type"] === "custom") {
    const named = requiredRecord(choice["custom"], "tool_choice.custom");
    return { name: filledString(named["name"], "tool_choice.custom.name") };
  }
  unmapped.add("tool_choice");
  return undefined;
}

function responseFormat(body: JsonRecord, unmapped: UnmappedFields): ResponseFormat | undefined {
  const format = optionalRecord(body, "response_format");
  if (format === undefined) return undefined;
  unmapped.note(format, FORMAT_FIELDS, "response_format");
  const type = oneOf(format["type"], ["text", "json_object", "json_schema"] as const, "response_format.type");
  if (type !== "json_schema") return withOrigin({ type }, DIALECT, format);
  const path = "response_format.json_schema";
  const described = requiredRecord(format["json_schema"], path);
  unmapped.note(described, SCHEMA_FIELDS, path);
  const schema = schemaOf(given(described, "schema"), `${path}.schema`);
  if (schema === undefined) throw new InvalidField(`${path}.schema`, `${path}.schema is missing`);
  const neutral: ResponseFormat = {
    type,
    name: filledString(described["name"], `${path}.name`),
    description: optionalString(described, "description", `${path}.description`),
    schema,
    strict: optionalBoolean(described, "strict", `${path}.strict`),
  };
  return withOrigin(neutral, DIALECT, format);
}

/** `reasoning_effort`, or OpenRouter's `reasoning` object. A provider's own effort word is left to that provider. */
function reasoning(body: JsonRecord, unmapped: UnmappedFields): ReasoningOptions | undefined {
  const flat = optionalString(body, "reasoning_effort");
  const nested = optionalRecord(body, "reasoning");
  if (nested) unmapped.note(nested, REASONING_FIELDS, "reasoning");
  const word = flat ?? (nested && optionalString(nested, "effort", "reasoning.effort"));
  const effort = EFFORTS.find((known) => known === word);
  if (word !== undefined && effort === undefined) unmapped.add(flat === undefined ? "reasoning" : "reasoning_effort");
  const options: ReasoningOptions = {
    effort,
    budgetTokens: nested && optionalInteger(nested, "max_tokens", 0, "reasoning.max_tokens"),
    summary: nested && optionalString(nested, "summary", "reasoning.summary"),
  };
  if (flat === undefined && nested === undefined) return undefined;
  const own: Record<string, unknown> = {};
  if (flat !== undefined) own["reasoning_effort"] = flat;
  if (nested !== undefined) own["reasoning"] = nested;
  return withOrigin(options, DIALECT, own);
}
