/** Neutral request → body of `POST /responses`. */
import { failure, type Result } from "../../failure/failure.ts";
import { arrayAt, isRecord, recordAt, stringAt } from "../../json/record.ts";
import { toStrictSubset } from "../../json/strict/strict-subset.ts";
import { carriedThinking } from "../carried-thinking.ts";
import type { ChatRequest, ToolDefinition } from "../chat.ts";
import type { DroppedField, EncodedRequest, WireTarget } from "../dialect.ts";
import { callIdsUnder } from "../fit/call-ids.ts";
import { effortForBudget, fittingEffort, isReasoningModel, refusesSampling } from "../fit/effort.ts";
import { reportLost } from "../fit/lost-fields.ts";
import { encodeInput } from "./input.ts";

type Body = Record<string, unknown>;

const UNSUPPORTED = {
  seed: "seed",
  topK: "top_k",
  presencePenalty: "presence_penalty",
  frequencyPenalty: "frequency_penalty",
  topLogprobs: "top_logprobs",
  logitBias: "logit_bias",
} as const;

export function encodeRequest(request: ChatRequest, target: WireTarget): Result<EncodedRequest> {
  if ((request.choices ?? 1) > 1) {
    return bad("n", "the Responses API gives one answer per request; n must be 1");
  }
  if (request.stop !== undefined && request.stop.length > 0)
    return bad("stop", "the Responses API has no stop sequences, and the answer would go on behind them");
  // The API has them in another form, only for whole answers.
  if (request.logprobs) return bad("logprobs", "log probabilities are not carried through the Responses API");
  const dropped: DroppedField[] = [];
  const native = request.native?.dialect === "openai-responses" ? request.native.body : undefined;
  const input = native ? { ok: true as const, value: undefined } : encodeInput(request.messages, dropped);
  if (!input.ok) return input;
  const text = textFormat(request, native);
  if (!text.ok) return text;
  const fields: Body = {
    ...native,
    model: target.model,
    stream: request.stream,
    ...(input.value ? { input: input.value } : {}),
    ...instructions(request, native),
    ...(native ? includedThinking(request, native, target) : { store: false, ...tools(request) }),
    ...text.value,
    ...defined({
      max_output_tokens: request.maxOutputTokens,
      temperature: request.temperature,
      top_p: request.topP,
      parallel_tool_calls: request.tools?.length ? request.parallelToolCalls : undefined,
      service_tier: request.serviceTier,
      user: request.user,
      metadata: request.metadata,
      reasoning: reasoning(request, target, dropped),
    }),
    ...target.quirks.extraBody,
  };
  if (refusesSampling(recordAt(fields, "reasoning")?.["effort"], target)) {
    for (const field of ["temperature", "top_p"]) {
      if (fields[field] === undefined) continue;
      delete fields[field];
      dropped.push({ field, why: `${target.model} refuses sampling parameters` });
    }
  }
  for (const [key, field] of Object.entries(UNSUPPORTED)) {
    if (!(native && field in native) && request[key as keyof typeof UNSUPPORTED] !== undefined)
      dropped.push({ field, why: "not part of the Responses API" });
  }
  reportLost(
    request,
    "openai-responses",
    { names: false, imageDetail: true, toolErrors: false, cache: false },
    dropped,
  );
  for (const field of target.quirks.omit ?? []) {
    if (field in fields) dropped.push({ field, why: `${target.provider} refuses it` });
    delete fields[field];
  }
  if (Array.isArray(fields["input"])) fields["input"] = withCallIds(fields["input"].filter(isReadable));
  return { ok: true, value: { path: "/responses", headers: {}, body: fields, dropped } };
}

const ENCRYPTED = "reasoning.encrypted_content";

/** Models that do not think refuse the field. */
function includedThinking({ keepsThinking }: ChatRequest, native: Readonly<Body>, target: WireTarget): Body {
  const thinks = target.facts?.thinking === "effort" || isReasoningModel(target);
  if (!keepsThinking || !thinks) return {};
  const include = arrayAt(native, "include") ?? [];
  return { include: include.includes(ENCRYPTED) ? include : [...include, ENCRYPTED] };
}

/** False for thinking of another provider that the client of this dialect kept for us. */
function isReadable(item: unknown): boolean {
  return carriedThinking(stringAt(item, "encrypted_content")) === undefined;
}

/** Longest id of a call that the API takes back. */
const CALL_IDS = { most: 64 };

function withCallIds(items: readonly unknown[]): unknown[] {
  const idOf = callIdsUnder(CALL_IDS);
  return items.map((item) => {
    const id = stringAt(item, "call_id");
    return isRecord(item) && id !== undefined ? { ...item, call_id: idOf(id) } : item;
  });
}

function instructions(request: ChatRequest, native: Readonly<Body> | undefined): Body {
  if (request.instructions === undefined) return {};
  const given = native?.["instructions"];
  return { instructions: typeof given === "string" ? `${given}\n\n${request.instructions}` : request.instructions };
}

function textFormat(request: ChatRequest, native: Readonly<Body> | undefined): Result<Body> {
  const format = request.responseFormat;
  const text = native?.["text"];
  const given = typeof text === "object" && text !== null ? text : {};
  if (format === undefined || format.type === "text") {
    if (native?.["text"] === undefined) return { ok: true, value: {} };
    // The neutral format wins over the client's own: on a coached rung there is none.
    const { format: _own, ...rest } = given as Body;
    return { ok: true, value: { text: rest } };
  }
  if (format.type === "json_object")
    return { ok: true, value: { text: { ...given, format: { type: "json_object" } } } };
  const { name, description, strict } = format;
  const subset = strict === false ? undefined : toStrictSubset(format.schema, "openai");
  if (subset && !subset.ok) {
    const where = subset.error.map((fault) => `${fault.pointer || "/"}: ${fault.why}`).join("; ");
    return bad("response_format", `OpenAI cannot enforce this schema (${where})`, "schema_too_complex");
  }
  const schema = subset ? subset.value.schema : format.schema;
  const encoded = defined({ type: "json_schema", name, description, schema, strict: strict ?? true });
  return { ok: true, value: { text: { ...given, format: encoded } } };
}

function tools(request: ChatRequest): Body {
  const encoded = (request.tools ?? []).map(encodeTool);
  if (encoded.length === 0) return {};
  const { toolChoice } = request;
  const choice = typeof toolChoice === "object" ? { type: "function", name: toolChoice.name } : toolChoice;
  return { tools: encoded, ...(choice === undefined ? {} : { tool_choice: choice }) };
}

/** Strictness defaults to on in this dialect and to off elsewhere, so it is always said. */
function encodeTool(tool: ToolDefinition): unknown {
  if (tool.type === "native") return tool.value;
  const { name, description, parameters, strict } = tool;
  return defined({
    type: "function",
    name,
    description,
    parameters: parameters ?? { type: "object", properties: {} },
    strict: strict ?? false,
  });
}

function reasoning(request: ChatRequest, target: WireTarget, dropped: DroppedField[]): Body | undefined {
  if (request.reasoning === undefined) return undefined;
  const { effort, budgetTokens, summary } = request.reasoning;
  const wanted = effort ?? (budgetTokens === undefined ? undefined : effortForBudget(budgetTokens));
  if (effort === undefined && wanted !== undefined)
    dropped.push({ field: "reasoning.budget_tokens", why: `sent as reasoning.effort ${wanted}` });
  const fitting = wanted === undefined ? undefined : fittingEffort(wanted, target, dropped);
  const own = recordAt(request.native?.dialect === "openai-responses" ? request.native.body : undefined, "reasoning");
  const fields = defined({ ...own, effort: fitting, summary });
  return Object.keys(fields).length > 0 ? fields : undefined;
}

function defined(fields: Body): Body {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function bad(
  param: string,
  message: string,
  reason: "unsupported_parameter" | "schema_too_complex" = "unsupported_parameter",
) {
  return { ok: false as const, error: failure("bad_request", message, { reason, param }) };
}
