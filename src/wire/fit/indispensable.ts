/**
 * What a request cannot lose on its way to another dialect: without it the caller would get another kind of answer than
 * asked for, so the request is refused. Whatever else has no form there is left out and named.
 */
import { type Failure, failure } from "../../failure/failure.ts";
import { arrayAt, type JsonRecord, recordAt, stringAt } from "../../json/record.ts";
import type { ChatRequest, DialectName, ToolDefinition } from "../chat.ts";
import type { DroppedField } from "../dialect.ts";

/** Fields of a client's body that only its own dialect supports and whose loss changes the answer. */
const INDISPENSABLE: Readonly<Record<string, (body: JsonRecord) => boolean>> = {
  audio: (body) => recordAt(body, "audio") !== undefined,
  modalities: (body) => arrayAt(body, "modalities")?.includes("audio") === true,
  web_search_options: (body) => recordAt(body, "web_search_options") !== undefined,
  mcp_servers: (body) => (arrayAt(body, "mcp_servers")?.length ?? 0) > 0,
  container: (body) => body["container"] != null,
  fallbacks: (body) => body["fallbacks"] != null,
};

export function refusedLoss(request: ChatRequest, dialect: DialectName): Failure | undefined {
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
export function carriedTools(
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
