/** Body of our own `POST /v1/responses` → neutral request. */
import { type Failure, failure, type Result } from "../../failure/failure.ts";
import { arrayAt, booleanAt, isRecord, type JsonRecord, numberAt, recordAt, stringAt } from "../../json/record.ts";
import type {
  AssistantPart,
  ChatMessage,
  ChatRequest,
  MediaSource,
  ReasoningEffort,
  ResponseFormat,
  TextPart,
  ToolChoice,
  ToolDefinition,
  UserPart,
} from "../chat.ts";
import { withReturnedThinking } from "../returned-thinking.ts";

/** What a provider would look up by id must be in the request. Kept responses were put into it before. */
const STATEFUL: Readonly<Record<string, string>> = {
  previous_response_id:
    "previous_response_id refers to a response that is not kept here; set store: false in the client, so that it sends the whole input instead",
  conversation:
    "conversation refers to items that are not kept here; leave it out and send previous_response_id where the gateway keeps responses, else set store: false in the client, so that it sends the whole input",
  prompt: "prompt refers to a template kept by a provider; send its text as instructions and input, or call a route",
};
const REFERENCE =
  "an item_reference points to an item that is not kept here; set store: false in the client (AI SDK: providerOptions.openai.store = false), so that it sends items whole";

export function decodeRequest(body: JsonRecord): Result<{ readonly model: string; readonly request: ChatRequest }> {
  const model = stringAt(body, "model");
  if (model === undefined || model === "")
    return bad("model", "model must be a string: a route, provider/model, or auto");
  for (const [field, why] of Object.entries(STATEFUL))
    if (body[field] !== undefined && body[field] !== null) return bad(field, why);
  if (body["background"] === true)
    return bad(
      "background",
      "an answer is made only while its client is connected; set background: false, and stream: true to follow it",
    );
  const input = decodeInput(body["input"]);
  if (!input.ok) return input;
  const instructions = stringAt(body, "instructions");
  const system: ChatMessage[] =
    instructions === undefined ? [] : [{ role: "system", content: [{ type: "text", text: instructions }] }];
  const reasoning = recordAt(body, "reasoning");
  return {
    ok: true,
    value: {
      model,
      request: {
        messages: [...system, ...input.value],
        tools: arrayAt(body, "tools")?.flatMap((tool) => decodeTool(tool)),
        toolChoice: decodeToolChoice(body["tool_choice"]),
        parallelToolCalls: booleanAt(body, "parallel_tool_calls"),
        responseFormat: decodeFormat(recordAt(recordAt(body, "text"), "format")),
        maxOutputTokens: numberAt(body, "max_output_tokens"),
        temperature: numberAt(body, "temperature"),
        topP: numberAt(body, "top_p"),
        topLogprobs: numberAt(body, "top_logprobs"),
        presencePenalty: numberAt(body, "presence_penalty"),
        frequencyPenalty: numberAt(body, "frequency_penalty"),
        reasoning: reasoning && { effort: effortOf(reasoning), summary: stringAt(reasoning, "summary") },
        serviceTier: stringAt(body, "service_tier"),
        user: stringAt(body, "user"),
        metadata: recordAt(body, "metadata"),
        stream: body["stream"] === true,
        includeUsage: true,
        native: { dialect: "openai-responses", body: body["store"] === undefined ? { ...body, store: false } : body },
        unmapped: unmappedFields(body),
      },
    },
  };
}

const NEUTRAL = new Set([
  ...["model", "input", "instructions", "tools", "tool_choice", "parallel_tool_calls", "text", "max_output_tokens"],
  ...[
    "temperature",
    "top_p",
    "top_logprobs",
    "presence_penalty",
    "frequency_penalty",
    "reasoning",
    "service_tier",
    "user",
    "metadata",
    "stream",
  ],
]);

/** What only an upstream of this dialect can honour. Fields that say no more than a default are not named. */
function unmappedFields(body: JsonRecord): readonly string[] | undefined {
  const paths: string[] = [];
  for (const [key, value] of Object.entries(body))
    if (!NEUTRAL.has(key) && value !== null && value !== false && value !== undefined) paths.push(key);
  for (const key of Object.keys(recordAt(body, "text") ?? {})) if (key !== "format") paths.push(`text.${key}`);
  const choice = body["tool_choice"];
  if (isRecord(choice) && decodeToolChoice(choice) === undefined) paths.push("tool_choice");
  return paths.length > 0 ? paths : undefined;
}

function decodeInput(input: unknown): Result<ChatMessage[]> {
  if (typeof input === "string")
    return { ok: true, value: [{ role: "user", content: [{ type: "text", text: input }] }] };
  if (!Array.isArray(input)) return bad("input", "input must be a string or an array of items");
  const messages: ChatMessage[] = [];
  for (const [index, item] of input.entries()) {
    if (!isRecord(item)) return bad(`input.${index}`, "an input item must be an object");
    const decoded = decodeItem(item, `input.${index}`);
    if (!decoded.ok) return decoded;
    append(messages, decoded.value);
  }
  const turns = messages.map((message) =>
    message.role === "assistant" ? { ...message, content: withReturnedThinking(message.content) } : message,
  );
  return { ok: true, value: turns };
}

/** Items of one assistant turn (reasoning, text, calls) belong to one message. */
function append(messages: ChatMessage[], message: ChatMessage): void {
  const last = messages.at(-1);
  if (message.role === "assistant" && last?.role === "assistant") {
    messages[messages.length - 1] = { ...last, content: [...last.content, ...message.content] };
    return;
  }
  messages.push(message);
}

function decodeItem(item: JsonRecord, path: string): Result<ChatMessage> {
  const assistant = (part: AssistantPart): Result<ChatMessage> => ({
    ok: true,
    value: { role: "assistant", content: [part] },
  });
  switch (item["type"]) {
    case undefined:
    case "message":
      return decodeMessage(item, path);
    case "function_call":
      return assistant({
        type: "tool-call",
        id: stringAt(item, "call_id") ?? "",
        name: stringAt(item, "name") ?? "",
        arguments: stringAt(item, "arguments") ?? "",
        namespace: stringAt(item, "namespace"),
      });
    case "custom_tool_call":
      return assistant({
        type: "tool-call",
        id: stringAt(item, "call_id") ?? "",
        name: stringAt(item, "name") ?? "",
        arguments: stringAt(item, "input") ?? "",
        custom: true,
        namespace: stringAt(item, "namespace"),
      });
    case "custom_tool_call_output":
    case "function_call_output": {
      const output = item["output"];
      const content: UserPart[] =
        typeof output === "string"
          ? [{ type: "text", text: output }]
          : (arrayAt(item, "output") ?? []).filter(isRecord).map(userPart);
      return { ok: true, value: { role: "tool", toolCallId: stringAt(item, "call_id") ?? "", content } };
    }
    case "reasoning": {
      const text = (arrayAt(item, "summary") ?? []).map((part) => stringAt(part, "text") ?? "").join("\n\n");
      return assistant({
        type: "reasoning",
        text,
        encrypted: stringAt(item, "encrypted_content"),
        id: stringAt(item, "id"),
        from: "openai-responses",
      });
    }
    case "item_reference":
      return bad(path, REFERENCE);
    default:
      return assistant({ type: "native", dialect: "openai-responses", value: item });
  }
}

function decodeMessage(item: JsonRecord, path: string): Result<ChatMessage> {
  const role = stringAt(item, "role");
  const content = item["content"];
  const parts = typeof content === "string" ? [{ type: "input_text", text: content }] : content;
  if (!Array.isArray(parts) || !parts.every(isRecord))
    return bad(`${path}.content`, "content must be a string or an array of parts");
  switch (role) {
    case "user":
      return { ok: true, value: { role, content: parts.map(userPart) } };
    case "system":
    case "developer":
      return {
        ok: true,
        value: { role, content: parts.map((part): TextPart => ({ type: "text", text: stringAt(part, "text") ?? "" })) },
      };
    case "assistant":
      return { ok: true, value: { role, content: parts.map(assistantPart) } };
    default:
      return bad(`${path}.role`, "role must be user, assistant, system or developer");
  }
}

function userPart(part: JsonRecord): UserPart {
  switch (part["type"]) {
    case "input_text":
    case "text":
      return { type: "text", text: stringAt(part, "text") ?? "" };
    case "input_image": {
      const url = stringAt(part, "image_url");
      const detail = stringAt(part, "detail");
      if (url === undefined) return { type: "native", dialect: "openai-responses", value: part };
      return {
        type: "image",
        source: sourceOf(url),
        detail: detail === "low" || detail === "high" || detail === "original" ? detail : undefined,
      };
    }
    case "input_file": {
      const data = stringAt(part, "file_data") ?? stringAt(part, "file_url");
      return {
        type: "file",
        source: data === undefined ? {} : sourceOf(data),
        fileId: stringAt(part, "file_id"),
        filename: stringAt(part, "filename"),
      };
    }
    default:
      return { type: "native", dialect: "openai-responses", value: part };
  }
}

function assistantPart(part: JsonRecord): AssistantPart {
  if (part["type"] === "refusal") return { type: "refusal", text: stringAt(part, "refusal") ?? "" };
  return { type: "text", text: stringAt(part, "text") ?? "" };
}

function sourceOf(url: string): MediaSource {
  const match = /^data:([^;,]*);base64,\s*/.exec(url);
  return match ? { mediaType: match[1] ?? "", data: url.slice(match[0].length) } : { url };
}

/** A namespace is not a tool but a group of them. */
function decodeTool(tool: unknown, namespace?: string): ToolDefinition[] {
  const type = stringAt(tool, "type");
  const name = stringAt(tool, "name");
  if (name !== undefined && type === "namespace" && namespace === undefined)
    return (arrayAt(tool, "tools") ?? []).flatMap((member) => decodeTool(member, name));
  if (name === undefined || (type !== "function" && type !== "custom"))
    return [{ type: "native", dialect: "openai-responses", value: tool }];
  const described = { type: "function", name, description: stringAt(tool, "description"), namespace } as const;
  if (type === "custom") return [{ ...described, custom: true, format: recordAt(tool, "format") }];
  return [{ ...described, parameters: recordAt(tool, "parameters"), strict: booleanAt(tool, "strict") }];
}

function decodeToolChoice(choice: unknown): ToolChoice | undefined {
  if (choice === "auto" || choice === "none" || choice === "required") return choice;
  const type = stringAt(choice, "type");
  const name = type === "function" || type === "custom" ? stringAt(choice, "name") : undefined;
  return name === undefined ? undefined : { name, namespace: stringAt(choice, "namespace") };
}

function decodeFormat(format: JsonRecord | undefined): ResponseFormat | undefined {
  if (format?.["type"] === "json_object") return { type: "json_object" };
  const schema = recordAt(format, "schema");
  if (format?.["type"] !== "json_schema" || schema === undefined) return undefined;
  return {
    type: "json_schema",
    name: stringAt(format, "name") ?? "output",
    description: stringAt(format, "description"),
    schema,
    strict: booleanAt(format, "strict"),
  };
}

const EFFORTS: readonly ReasoningEffort[] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

function effortOf(reasoning: JsonRecord): ReasoningEffort | undefined {
  return EFFORTS.find((effort) => effort === reasoning["effort"]);
}

function bad(param: string, message: string): { readonly ok: false; readonly error: Failure } {
  return { ok: false, error: failure("bad_request", message, { param }) };
}
