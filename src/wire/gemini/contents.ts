/** Neutral messages → Gemini contents. */
import { type Failure, failure, type Result } from "../../failure/failure.ts";
import { parseExact } from "../../json/exact-numbers.ts";
import { isRecord } from "../../json/record.ts";
import type { AssistantPart, ChatMessage, MediaSource, ReasoningPart, UserPart } from "../chat.ts";
import type { DroppedField, WireTarget } from "../dialect.ts";
import { sniffMediaType } from "../media-type.ts";

type Part = Record<string, unknown>;
interface Content {
  readonly role: "user" | "model";
  readonly parts: Part[];
}

/** Neighbouring messages of one role are one content, so that parallel results answer their calls together. */
export function encodeContents(
  messages: readonly ChatMessage[],
  { facts }: Pick<WireTarget, "facts">,
  dropped: DroppedField[],
): Result<Content[]> {
  const contents: Content[] = [];
  const toolNames = new Map<string, string>();
  for (const message of messages) {
    if (message.role === "system" || message.role === "developer") continue;
    const parts = partsOf(message, toolNames, dropped);
    if (!parts.ok) return parts;
    if (parts.value.length === 0) continue;
    const role = message.role === "assistant" ? "model" : "user";
    const last = contents.at(-1);
    if (last?.role === role) last.parts.push(...parts.value);
    else contents.push({ role, parts: parts.value });
  }
  if (facts?.signsCalls) for (const { role, parts } of contents) if (role === "model") signCalls(parts, dropped);
  return { ok: true, value: contents };
}

/** The word by which models that sign their calls let a call without signature pass. */
const NO_SIGNATURE = "skip_thought_signature_validator";

/** Calls of another model, or from a client whose dialect has no field for the signature. */
function signCalls(parts: Part[], dropped: DroppedField[]): void {
  const first = parts.find((part) => "functionCall" in part);
  if (first === undefined || "thoughtSignature" in first) return;
  first["thoughtSignature"] = NO_SIGNATURE;
  const field = "messages[].tool_calls[].thought_signature";
  if (!dropped.some((entry) => entry.field === field))
    dropped.push({ field, why: "a call came back without the signature of its thinking" });
}

export function systemParts(messages: readonly ChatMessage[], instructions: string | undefined): Part[] {
  const given = messages.flatMap((message) =>
    message.role === "system" || message.role === "developer"
      ? message.content.map((part) => ({ text: part.text }))
      : [],
  );
  return instructions === undefined ? given : [...given, { text: instructions }];
}

function partsOf(
  message: Exclude<ChatMessage, { role: "system" } | { role: "developer" }>,
  toolNames: Map<string, string>,
  dropped: DroppedField[],
): Result<Part[]> {
  if (message.role === "assistant") return modelParts(message.content, toolNames, dropped);
  if (message.role === "user") return collect(message.content, (part) => userPart(part, dropped));
  const name = message.toolName ?? toolNames.get(message.toolCallId);
  if (name === undefined) {
    return bad(
      "messages.tool_call_id",
      `no earlier tool call has the id ${message.toolCallId}, and Gemini asks for the function's name`,
    );
  }
  const text = message.content
    .filter((part) => part.type === "text")
    .map((part) => part.text)
    .join("");
  const media = collect(
    message.content.filter((part) => part.type !== "text"),
    (part) => userPart(part, dropped),
  );
  if (!media.ok) return media;
  return {
    ok: true,
    value: [{ functionResponse: { name, response: responseObject(text, message.isError === true) } }, ...media.value],
  };
}

/** A function response must be an object. */
function responseObject(text: string, isError: boolean): unknown {
  const parsed = parse(text);
  if (!isError && isRecord(parsed)) return parsed;
  return isError ? { error: parsed ?? text } : { result: parsed ?? text };
}

function parse(text: string): unknown {
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
}

function collect<P>(parts: readonly P[], encode: (part: P) => Result<Part | undefined>): Result<Part[]> {
  const encoded: Part[] = [];
  for (const part of parts) {
    const result = encode(part);
    if (!result.ok) return result;
    if (result.value) encoded.push(result.value);
  }
  return { ok: true, value: encoded };
}

function userPart(part: UserPart, dropped: DroppedField[]): Result<Part | undefined> {
  switch (part.type) {
    case "text":
      return { ok: true, value: part.text === "" ? undefined : { text: part.text } };
    case "image":
    case "audio":
      return { ok: true, value: media(part.source, part.type === "audio" ? audioType(part.format) : undefined) };
    case "file":
      if (part.fileId !== undefined)
        return bad("messages.content.file_id", "a file id of another provider means nothing to Gemini");
      return { ok: true, value: media(part.source) };
    case "native":
      if (part.dialect === "gemini") return { ok: true, value: isRecord(part.value) ? { ...part.value } : undefined };
      dropped.push({ field: "messages.content", why: `a part only ${part.dialect} understands` });
      return { ok: true, value: undefined };
  }
}

/** The API does not accept thoughts as text; a signature belongs to the part that it signed, which comes next. */
function modelParts(
  content: readonly AssistantPart[],
  toolNames: Map<string, string>,
  dropped: DroppedField[],
): Result<Part[]> {
  let signature: string | undefined;
  return collect(content, (part) => {
    if (part.type === "reasoning") {
      if (part.from === "gemini") signature = part.signature ?? signature;
      else dropped.push({ field: "messages.reasoning", why: "Gemini takes back only thinking that it signed" });
      return { ok: true, value: undefined };
    }
    const encoded = modelPart(part, toolNames, dropped);
    if (!encoded.ok || !encoded.value || signature === undefined) return encoded;
    const signed = { thoughtSignature: signature, ...encoded.value };
    signature = undefined;
    return { ok: true, value: signed };
  });
}

function modelPart(
  part: Exclude<AssistantPart, ReasoningPart>,
  toolNames: Map<string, string>,
  dropped: DroppedField[],
): Result<Part | undefined> {
  switch (part.type) {
    case "text":
    case "refusal":
      return { ok: true, value: part.text === "" ? undefined : { text: part.text } };
    case "tool-call": {
      toolNames.set(part.id, part.name);
      const args = part.arguments.trim() === "" ? {} : parse(part.arguments);
      if (!isRecord(args)) {
        return bad(
          "messages.tool_calls.arguments",
          `the arguments of tool call ${part.id} are not a JSON object, and Gemini takes them parsed`,
        );
      }
      const signature = part.signature === undefined ? {} : { thoughtSignature: part.signature };
      return { ok: true, value: { functionCall: { name: part.name, args }, ...signature } };
    }
    case "media":
      return { ok: true, value: { inlineData: { mimeType: part.mediaType, data: part.data } } };
    case "native":
      if (part.dialect === "gemini") return { ok: true, value: isRecord(part.value) ? { ...part.value } : undefined };
      dropped.push({ field: "messages.content", why: `a part only ${part.dialect} understands` });
      return { ok: true, value: undefined };
  }
}

function media(source: MediaSource, known?: string): Part {
  if (source.data !== undefined) {
    return {
      inlineData: {
        mimeType: sniffMediaType(source.data) ?? source.mediaType ?? known ?? "application/octet-stream",
        data: source.data,
      },
    };
  }
  const mimeType = source.mediaType ?? known ?? typeOfUrl(source.url ?? "");
  return { fileData: { fileUri: source.url, ...(mimeType === undefined ? {} : { mimeType }) } };
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  pdf: "application/pdf",
};

function typeOfUrl(url: string): string | undefined {
  const extension = /\.(\w+)(?:[?#]|$)/.exec(url)?.[1]?.toLowerCase();
  return extension === undefined ? undefined : EXTENSIONS[extension];
}

function audioType(format: string | undefined): string | undefined {
  return format === undefined ? undefined : `audio/${format}`;
}

function bad(param: string, message: string): { readonly ok: false; readonly error: Failure } {
  return { ok: false, error: failure("bad_request", message, { reason: "unsupported_parameter", param }) };
}
