/**
 * Fields that have effects beyond their request. A client's body is passed on with unknown fields, so fields that would
 * break what the gateway promises are listed here, for all dialects.
 */
import { arrayAt, isRecord, type JsonRecord } from "../../json/record.ts";
import type { ChatRequest } from "../chat.ts";
import type { DroppedField } from "../dialect.ts";

/** Let a router upstream (OpenRouter, LiteLLM) serve another model than the declared one. */
const OTHER_MODELS = ["models", "route", "preset", "fallbacks", "context_window_fallback_dict", "model_list"] as const;

/** The request without a say in which model serves it beyond `model`, and what was left out. */
export function onlyItsModel(request: ChatRequest): {
  readonly request: ChatRequest;
  readonly dropped: readonly DroppedField[];
} {
  const { native } = request;
  const fields = native ? OTHER_MODELS.filter((field) => native.body[field] !== undefined) : [];
  if (!native || fields.length === 0) return { request, dropped: [] };
  const body = Object.fromEntries(
    Object.entries(native.body).filter(([key]) => !fields.some((field) => field === key)),
  );
  const dropped = fields.map((field) => ({ field, why: "only declared models may serve" }));
  return { request: { ...request, native: { ...native, body } }, dropped };
}

/**
 * Bill more than the tokens that a body's length and its output limit bound: context kept elsewhere, answers sampled and
 * thrown away, searches, rounds of sampling inside the provider.
 */
const UNBOUNDED = [
  "best_of",
  "prediction",
  "web_search_options",
  "plugins",
  "previous_response_id",
  "conversation",
  "prompt",
  "mcp_servers",
  "container",
  "thread",
  "cachedContent",
] as const;

/** Tools that the client runs itself, by the start of their `type`; all others run at the provider. */
const CLIENT_TOOL =
  /^(?:function$|custom$|bash_\d|text_editor_|computer_|computer$|memory_|browser_|local_shell$|apply_patch$|computer-preview|tool_search)/;

/** Fields that raise a model's price (fast modes, processing in one region), and the values that do not. */
const DEARER: Readonly<Record<string, readonly unknown[]>> = {
  speed: ["standard"],
  inference_geo: ["global"],
};

/** The field of an encoded body that makes its cost unbounded or dearer than its price, or undefined where there is none. */
export function unboundedField(body: JsonRecord): string | undefined {
  const field = UNBOUNDED.find((name) => body[name] !== undefined && body[name] !== null);
  if (field !== undefined) return field;
  const dearer = Object.entries(DEARER).find(
    ([name, plain]) => body[name] !== undefined && body[name] !== null && !plain.includes(body[name]),
  );
  if (dearer) return dearer[0];
  const at = (arrayAt(body, "tools") ?? []).findIndex((tool) => !runsAtClient(tool));
  return at < 0 ? undefined : `tools[${at}]`;
}

/**
 * The encoded body without the tools that the provider runs and bills without a bound, for calls under a spend limit.
 * Unchanged where nothing else is offered or a tool is demanded: without it the caller would get another answer.
 */
export function withoutUnboundedTools(body: JsonRecord): {
  readonly body: JsonRecord;
  readonly dropped: readonly DroppedField[];
} {
  const tools = arrayAt(body, "tools") ?? [];
  const bounded = tools.filter(runsAtClient);
  const choice = body["tool_choice"];
  const isDemanded = isRecord(choice) ? choice["type"] !== "auto" && choice["type"] !== "none" : choice === "required";
  if (bounded.length === 0 || bounded.length === tools.length || isDemanded) return { body, dropped: [] };
  const why = "the provider runs it at a cost without a bound, and the call is under a spend limit";
  const dropped = tools.flatMap((tool, at) => (runsAtClient(tool) ? [] : [{ field: `tools[${at}]`, why }]));
  return { body: { ...body, tools: bounded }, dropped };
}

function runsAtClient(tool: unknown): boolean {
  if (!isRecord(tool)) return true;
  const type = tool["type"];
  // A group of tools, and a shell that may be the client's or a container of the provider's.
  if (type === "namespace") return Array.isArray(tool["tools"]) && tool["tools"].every(runsAtClient);
  if (type === "shell") return !isRecord(tool["environment"]) || tool["environment"]["type"] === "local";
  if (typeof type === "string") return CLIENT_TOOL.test(type);
  // Gemini has no type: one member names the kind. Anthropic's own tools may leave it out.
  return "functionDeclarations" in tool ? Object.keys(tool).length === 1 : "input_schema" in tool;
}
