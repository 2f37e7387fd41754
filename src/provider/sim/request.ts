/** The parts of a chat completion request that the simulation reads. */
import { parsedJson } from "../../json/parsed.ts";
import { arrayAt, booleanAt, isRecord, type JsonRecord, numberAt, recordAt, stringAt } from "../../json/record.ts";

export interface SimRequest {
  readonly model: string;
  /** Everything the model would read, for counting tokens. */
  readonly promptText: string;
  /** Text of the last user message; answers are drawn from it. */
  readonly userText: string;
  readonly lastRole: string;
  readonly lastText: string;
  /** The schema to conform to, from `response_format` or coached in the prompt. */
  readonly schema?: unknown;
  /** True when the schema came as `json_schema`: an able model then cannot depart from it. */
  readonly enforced: boolean;
  readonly json: boolean;
  readonly tools: readonly { readonly name: string; readonly parameters: unknown }[];
  readonly toolChoice: unknown;
  readonly parallel: boolean;
  readonly stream: boolean;
  readonly includeUsage: boolean;
  readonly maxTokens?: number | undefined;
  readonly stop: readonly string[];
  readonly choices: number;
  readonly seed: string;
}

export function readRequest(body: JsonRecord): SimRequest | undefined {
  const messages = arrayAt(body, "messages")?.filter(isRecord);
  const last = messages?.at(-1);
  if (!messages || !last) return undefined;
  const format = recordAt(body, "response_format");
  const given = recordAt(format, "json_schema")?.["schema"];
  const texts = messages.map((message) => textOf(message["content"]));
  const tools = (arrayAt(body, "tools") ?? []).flatMap((tool) => {
    const fn = recordAt(tool, "function");
    const name = stringAt(fn, "name");
    return name === undefined ? [] : [{ name, parameters: fn?.["parameters"] }];
  });
  const lastUser = messages.findLast((message) => message["role"] === "user");
  const stop = body["stop"];
  return {
    model: stringAt(body, "model") ?? "",
    promptText: [...texts, JSON.stringify(body["tools"] ?? ""), JSON.stringify(format ?? "")].join("\n"),
    userText: textOf(lastUser?.["content"]),
    lastRole: stringAt(last, "role") ?? "user",
    lastText: texts.at(-1) ?? "",
    schema: given ?? coachedSchema(messages),
    enforced: given !== undefined,
    json: format !== undefined && format["type"] !== "text",
    tools,
    toolChoice: body["tool_choice"],
    parallel: booleanAt(body, "parallel_tool_calls") ?? true,
    stream: booleanAt(body, "stream") ?? false,
    includeUsage: booleanAt(recordAt(body, "stream_options"), "include_usage") ?? false,
    maxTokens: numberAt(body, "max_completion_tokens") ?? numberAt(body, "max_tokens"),
    stop: (Array.isArray(stop) ? stop : [stop]).filter((word) => typeof word === "string" && word !== ""),
    choices: Math.min(8, Math.max(1, numberAt(body, "n") ?? 1)),
    seed: String(numberAt(body, "seed") ?? ""),
  };
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part) => stringAt(part, "text") ?? "").join("\n");
}

/** Returns the last line of an instruction that is a JSON object and looks like a schema. */
function coachedSchema(messages: readonly JsonRecord[]): unknown {
  const instructions = messages.filter((message) => message["role"] === "system" || message["role"] === "developer");
  const lines = instructions.flatMap((message) => textOf(message["content"]).split("\n"));
  for (const line of lines.reverse()) {
    if (!line.trimStart().startsWith("{")) continue;
    const parsed = parsedJson(line);
    if (isRecord(parsed) && SCHEMA_WORDS.some((word) => Object.hasOwn(parsed, word))) return parsed;
  }
  return undefined;
}

const SCHEMA_WORDS = ["type", "properties", "anyOf", "oneOf", "allOf", "$ref", "enum", "const"];
