/**
 * Neutral request → body of `POST /chat/completions`. A client that spoke this dialect gets its own body sent, with the
 * neutral fields on top; what the target cannot take is reported, or refused where leaving it out would change the answer.
 */
import { err, failure, ok, type Result } from "../../failure/failure.ts";
import { isRecord, type JsonRecord } from "../../json/record.ts";
import { toStrictSubset } from "../../json/strict/strict-subset.ts";
import type {
  ChatRequest,
  FunctionTool,
  JsonSchema,
  ReasoningEffort,
  ReasoningOptions,
  ToolDefinition,
} from "../chat.ts";
import type { DroppedField, EncodedRequest, WireTarget } from "../dialect.ts";
import { effortForBudget, fittingEffort, refusesSampling } from "../fit/effort.ts";
import { reportLost } from "../fit/lost-fields.ts";
import { originOf } from "../origin.ts";
import { NEUTRAL_FIELDS } from "./fields.ts";
import { cacheControl, encodeMessages } from "./request-messages.ts";
import { applyQuirks, SAMPLING_FIELDS } from "./request-quirks.ts";

type Body = Record<string, unknown>;

const DIALECT = "openai-chat";

export function encodeRequest(request: ChatRequest, target: WireTarget): Result<EncodedRequest> {
  const dropped: DroppedField[] = [];
  const messages = encodeMessages(request, target, dropped);
  if (!messages.ok) return messages;
  const format = responseFormat(request, target);
  if (!format.ok) return format;
  const tools = toolFields(request, target);
  if (!tools.ok) return tools;

  const native = request.native?.dialect === DIALECT ? request.native.body : undefined;
  const body: Body = {
    ...clientFields(native, request, target, dropped),
    model: target.model,
    messages: messages.value,
    ...tools.value,
    ...format.value,
    ...scalarFields(request, target, dropped),
    ...reasoningFields(request, target, dropped),
    ...streamFields(request, native, target),
  };
  if (refusesSampling(body["reasoning_effort"] ?? request.reasoning?.effort, target))
    dropSampling(body, target, dropped);
  const refused = applyQuirks(body, request, target, dropped);
  if (refused) return err(refused);
  const headers: Record<string, string> = request.stream ? { accept: "text/event-stream" } : {};
  return ok({ path: "/chat/completions", headers, body, dropped });
}

/** Everything in the client's body that has no neutral field. */
function clientFields(
  native: JsonRecord | undefined,
  request: ChatRequest,
  target: WireTarget,
  dropped: DroppedField[],
): Body {
  const unmapped = request.unmapped ?? [];
  if (native === undefined) {
    const carries = {
      names: true,
      imageDetail: true,
      toolErrors: true,
      cache: target.quirks.cacheBreakpoints === true,
    };
    reportLost(request, DIALECT, carries, dropped);
    return {};
  }
  const fields: Body = {};
  for (const [key, value] of Object.entries(native)) {
    if (!NEUTRAL_FIELDS.has(key) || unmapped.includes(key)) fields[key] = value;
  }
  return fields;
}

function scalarFields(request: ChatRequest, { provider, quirks }: WireTarget, dropped: DroppedField[]): Body {
  const takesTopK = quirks.topK === true;
  if (request.topK !== undefined && !takesTopK)
    dropped.push({ field: "top_k", why: `${provider} is not known to take it` });
  return defined({
    [quirks.maxTokensField ?? "max_tokens"]: request.maxOutputTokens,
    temperature: request.temperature,
    top_p: request.topP,
    top_k: takesTopK ? request.topK : undefined,
    stop: request.stop,
    seed: request.seed,
    n: request.choices,
    presence_penalty: request.presencePenalty,
    frequency_penalty: request.frequencyPenalty,
    logprobs: request.logprobs,
    top_logprobs: request.topLogprobs,
    logit_bias: request.logitBias,
    service_tier: request.serviceTier,
    user: request.user,
    metadata: request.metadata,
  });
}

/** The API has no field for budgets; the nearest effort is sent, and the report contains that. */
function reasoningFields({ reasoning }: ChatRequest, target: WireTarget, dropped: DroppedField[]): Body {
  if (reasoning === undefined) return {};
  const own = originOf(reasoning, DIALECT);
  const wanted = wantedEffort(reasoning, own !== undefined, dropped);
  const effort = wanted === undefined ? undefined : fittingEffort(wanted, target, dropped);
  if (own && effort === wanted) return own;
  return defined({ reasoning_effort: effort });
}

function wantedEffort(
  { effort, budgetTokens, summary }: ReasoningOptions,
  own: boolean,
  dropped: DroppedField[],
): ReasoningEffort | undefined {
  if (own) return effort;
  if (summary !== undefined)
    dropped.push({ field: "reasoning.summary", why: "chat completions return no reasoning summary" });
  if (effort !== undefined || budgetTokens === undefined) return effort;
  const nearest = effortForBudget(budgetTokens);
  dropped.push({ field: "reasoning.budget_tokens", why: `sent as reasoning_effort ${nearest}` });
  return nearest;
}

/** Usage is always asked for: without it a stream has no known cost. */
function streamFields(request: ChatRequest, native: JsonRecord | undefined, target: WireTarget): Body {
  if (!request.stream) return {};
  if (target.quirks.noStreamOptions) return { stream: true };
  const options = native?.["stream_options"];
  return { stream: true, stream_options: { ...(isRecord(options) ? options : {}), include_usage: true } };
}

function dropSampling(body: Body, target: WireTarget, dropped: DroppedField[]): void {
  for (const field of SAMPLING_FIELDS) {
    if (body[field] === undefined) continue;
    delete body[field];
    dropped.push({ field, why: `${target.model} is a reasoning model and refuses sampling parameters` });
  }
}

function responseFormat(request: ChatRequest, target: WireTarget): Result<Body> {
  const format = request.responseFormat;
  if (format === undefined) return ok({});
  const own = originOf(format, DIALECT);
  if (format.type !== "json_schema") return ok({ response_format: own ?? { type: format.type } });
  const schema = format.strict === true ? strictSchema(format.schema, target, "response_format") : ok(format.schema);
  if (!schema.ok) return schema;
  const base = isRecord(own?.["json_schema"]) ? own["json_schema"] : {};
  const { name, description, strict } = format;
  const described = { ...base, ...defined({ name, description, strict }), schema: schema.value };
  return ok({ response_format: { ...own, type: "json_schema", json_schema: described } });
}

/** The schema in the subset that the target enforces; bounds outside of it move to descriptions. */
function strictSchema(schema: JsonSchema, target: WireTarget, param: string): Result<JsonSchema> {
  const subset = target.quirks.schemaSubset;
  if (subset === undefined) return ok(schema);
  const fitted = toStrictSubset(schema, subset);
  if (fitted.ok) return ok(fitted.value.schema);
  const where = fitted.error.map((fault) => `${fault.pointer || "/"}: ${fault.why}`).join("; ");
  return err(
    failure("bad_request", `${target.provider} cannot enforce this schema (${where})`, {
      reason: "schema_too_complex",
      param,
    }),
  );
}

function toolFields(request: ChatRequest, target: WireTarget): Result<Body> {
  const { tools, toolChoice, parallelToolCalls } = request;
  if (tools === undefined || tools.length === 0) return ok({});
  const legacy = legacyFunctions(request);
  if (legacy) return ok(legacy);
  const encoded: unknown[] = [];
  for (const [position, tool] of tools.entries()) {
    const one = tool.type === "native" ? ok(tool.value) : functionTool(tool, target, `tools[${position}]`);
    if (!one.ok) return one;
    encoded.push(one.value);
  }
  if (encoded.length === 0) return ok({});
  const choice = typeof toolChoice === "object" ? namedChoice(toolChoice.name, tools) : toolChoice;
  return ok({ tools: encoded, ...defined({ tool_choice: choice, parallel_tool_calls: parallelToolCalls }) });
}

function namedChoice(name: string, tools: readonly ToolDefinition[]): Body {
  const custom = tools.some((tool) => tool.type === "function" && tool.name === name && tool.custom);
  return custom ? { type: "custom", custom: { name } } : { type: "function", function: { name } };
}

function functionTool(tool: FunctionTool, target: WireTarget, param: string): Result<Body> {
  const { name, description, strict } = tool;
  const parameters =
    tool.strict === true && tool.parameters !== undefined ? strictSchema(tool.parameters, target, param) : undefined;
  if (parameters && !parameters.ok) return parameters;
  const own = originOf(tool, DIALECT);
  if (tool.custom && own) return ok(own);
  const base = isRecord(own?.["function"]) ? own["function"] : {};
  const described = defined({ name, description, parameters: parameters?.value ?? tool.parameters, strict });
  const cache = own || !target.quirks.cacheBreakpoints ? {} : cacheControl(tool.cache);
  return ok({ ...own, type: "function", function: { ...base, ...described }, ...cache });
}

/** A client of the form before `tools` reads its answer in that form too. */
function legacyFunctions({ native }: ChatRequest): Body | undefined {
  if (native?.dialect !== DIALECT || native.body["tools"] !== undefined) return undefined;
  const { functions, function_call } = native.body;
  return Array.isArray(functions) ? { functions, ...defined({ function_call }) } : undefined;
}

function defined(fields: Body): Body {
  const found: Body = {};
  for (const [key, value] of Object.entries(fields)) if (value !== undefined) found[key] = value;
  return found;
}
