/**
 * Tools of the client in forms that only some upstreams know, as functions that every model can call: a tool that takes
 * free text (`custom`) becomes a function with one text argument, a tool in a namespace a function named after both.
 */
import type { AssistantPart, ChatMessage, ChatRequest, FunctionTool, ToolCallPart, ToolDefinition } from "../chat.ts";
import { shortDigest } from "./short-digest.ts";

/** The client's tool behind a function's name. */
type ClientTool = Pick<FunctionTool, "name" | "namespace" | "custom">;

/** Client tools by the function name that the model sees. */
export type ClientTools = ReadonlyMap<string, ClientTool>;

/** Longest name of a function at OpenAI and Gemini. */
const LONGEST_NAME = 64;
const INPUT = "input";

/**
 * Returns the request with functions only and the tools behind their names; the same request where it has no other
 * tools.
 */
export function withFunctions(request: ChatRequest): { readonly request: ChatRequest; readonly tools: ClientTools } {
  const names = new FunctionNames(request.tools ?? []);
  const called = request.messages.some(({ content }) => content.some(isOwnCall));
  if (names.tools.size === 0 && !called) return { request, tools: names.tools };
  const { toolChoice } = request;
  return {
    request: {
      ...request,
      messages: messagesWithFunctions(request.messages, names),
      tools: request.tools?.map((tool) => (isOwnTool(tool) ? functionFor(tool, names.of(tool)) : tool)),
      toolChoice: typeof toolChoice === "object" ? { name: names.chosen(toolChoice) } : toolChoice,
    },
    tools: names.tools,
  };
}

/** The client's own call behind a call of its function. */
export function clientCall(part: ToolCallPart, tools: ClientTools): ToolCallPart {
  const tool = tools.get(part.name);
  if (tool === undefined) return part;
  const { name, namespace, custom } = tool;
  return {
    ...part,
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(custom ? { custom, arguments: freeText(part.arguments) } : {}),
  };
}

/**
 * Returns the text inside the arguments of a function that replaces a custom tool; other text is returned unchanged.
 */
function freeText(argumentsText: string): string {
  try {
    const value: unknown = JSON.parse(argumentsText);
    if (typeof value === "object" && value !== null && INPUT in value && typeof value.input === "string")
      return value.input;
  } catch {
    // The model wrote its text without the object around it.
  }
  return argumentsText;
}

/** Function names of client tools: readable, within the length and letters that all dialects take, and distinct. */
class FunctionNames {
  readonly tools = new Map<string, ClientTool>();
  readonly #byTool = new Map<string, string>();

  constructor(tools: readonly ToolDefinition[]) {
    const plain = new Set(tools.map((tool) => (tool.type === "function" && !isOwn(tool) ? tool.name : "")));
    for (const tool of tools) {
      if (!isOwnTool(tool)) continue;
      let name = flatName(tool);
      if (plain.has(name) || this.tools.has(name))
        name = `${name.slice(0, LONGEST_NAME - 7)}_${shortDigest(keyOf(tool)).slice(0, 6)}`;
      const { name: own, namespace, custom } = tool;
      this.tools.set(name, { name: own, namespace, custom });
      this.#byTool.set(keyOf(tool), name);
    }
  }

  of(tool: ClientTool): string {
    return this.#byTool.get(keyOf(tool)) ?? flatName(tool);
  }

  chosen({ name, namespace }: { readonly name: string; readonly namespace?: string | undefined }): string {
    return this.#byTool.get(keyOf({ name, namespace })) ?? name;
  }
}

function flatName({ namespace, name }: ClientTool): string {
  const joined = namespace === undefined ? name : namespace.endsWith("__") ? namespace + name : `${namespace}__${name}`;
  const clean = joined.replace(/[^A-Za-z0-9_-]/g, "_");
  if (clean === joined && clean.length <= LONGEST_NAME) return clean;
  return `${clean.slice(0, LONGEST_NAME - 7)}_${shortDigest(joined).slice(0, 6)}`;
}

const keyOf = ({ namespace, name }: ClientTool): string => JSON.stringify([namespace ?? null, name]);

function isOwn({ custom, namespace }: Pick<FunctionTool, "custom" | "namespace">): boolean {
  return custom === true || namespace !== undefined;
}

function isOwnTool(tool: ToolDefinition): tool is FunctionTool {
  return tool.type === "function" && isOwn(tool);
}

function isOwnCall(part: ChatMessage["content"][number]): part is ToolCallPart {
  return part.type === "tool-call" && isOwn(part);
}

function functionFor(
  { description, parameters, strict, cache, custom, format }: FunctionTool,
  name: string,
): FunctionTool {
  if (!custom) return { type: "function", name, description, parameters, strict, cache };
  const grammar = format === undefined ? [] : [`The text must match: ${JSON.stringify(format)}`];
  const described = [description, ...grammar].filter((line) => line !== undefined && line !== "").join("\n\n");
  return {
    type: "function",
    name,
    ...(described === "" ? {} : { description: described }),
    parameters: {
      type: "object",
      properties: { [INPUT]: { type: "string", description: "The tool's whole input, as free text." } },
      required: [INPUT],
      additionalProperties: false,
    },
    cache,
  };
}

function messagesWithFunctions(messages: readonly ChatMessage[], names: FunctionNames): ChatMessage[] {
  const renamed = new Map<string, string>();
  return messages.map((message) => {
    if (message.role === "assistant") {
      if (!message.content.some(isOwnCall)) return message;
      const content = message.content.map((part): AssistantPart => {
        if (!isOwnCall(part)) return part;
        const name = names.of(part);
        renamed.set(part.id, name);
        const { custom, namespace: _namespace, ...call } = part;
        return { ...call, name, arguments: custom ? JSON.stringify({ [INPUT]: part.arguments }) : part.arguments };
      });
      return { ...message, content };
    }
    const toolName = message.role === "tool" ? renamed.get(message.toolCallId) : undefined;
    return message.role === "tool" && toolName !== undefined ? { ...message, toolName } : message;
  });
}
