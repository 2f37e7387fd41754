/** Neutral messages → `messages` of a chat completion request. */
import { err, type Failure, failure, ok, type Result } from "../../failure/failure.ts";
import { isRecord, type JsonRecord } from "../../json/record.ts";
import type {
  AssistantPart,
  AudioPart,
  CacheBreakpoint,
  ChatMessage,
  ChatRequest,
  FilePart,
  MediaSource,
  TextPart,
  ToolCallPart,
  UserPart,
} from "../chat.ts";
import type { DroppedField, WireTarget } from "../dialect.ts";
import { callIdsUnder } from "../fit/call-ids.ts";
import { isReasoningModel } from "../fit/effort.ts";
import { originOf } from "../origin.ts";

type Wire = Record<string, unknown>;
type SystemRole = "system" | "developer";

const DIALECT = "openai-chat";

/** Encodes one conversation; the first part that cannot be carried ends it. */
class MessageEncoder {
  readonly dropped: DroppedField[];
  fault: Failure | undefined;
  readonly messages: Wire[] = [];
  readonly #ownFiles: boolean;
  readonly #systemRole: SystemRole | undefined;
  readonly #omitted: readonly string[];
  readonly #breakpoints: boolean;
  /** `cache_control` is refused at every depth. */
  readonly #bare: boolean;
  readonly #idOf: (id: string) => string;
  /** Media of tool results: tool messages take text only, so it follows them as a user message. */
  #pendingMedia: Wire[] = [];

  constructor(request: ChatRequest, target: WireTarget, dropped: DroppedField[]) {
    this.dropped = dropped;
    this.#ownFiles = request.native?.dialect === DIALECT;
    this.#systemRole = systemRole(target);
    this.#omitted = (target.quirks.omit ?? []).flatMap((path) =>
      path.startsWith("messages[].") ? [path.slice(11)] : [],
    );
    this.#breakpoints = target.quirks.cacheBreakpoints === true;
    this.#bare = target.quirks.omit?.includes("cache_control") === true;
    this.#idOf = callIdsUnder(target.quirks.callIds);
  }

  add(message: ChatMessage): void {
    if (message.role !== "tool") this.flushMedia();
    const own = originOf(message, DIALECT);
    const wire = this.#withCallIds(own ? this.#withoutBreakpoints(own) : this.#encode(message));
    if (wire["role"] === "system" || wire["role"] === "developer") wire["role"] = this.#systemRole ?? wire["role"];
    for (const field of this.#omitted) {
      if (wire[field] === undefined) continue;
      delete wire[field];
      this.drop(`messages[].${field}`, "refused by the provider");
    }
    this.messages.push(wire);
  }

  flushMedia(): void {
    if (this.#pendingMedia.length > 0) this.messages.push({ role: "user", content: this.#pendingMedia });
    this.#pendingMedia = [];
  }

  drop(field: string, why: string): void {
    if (!this.dropped.some((entry) => entry.field === field)) this.dropped.push({ field, why });
  }

  #withCallIds(wire: Wire): Wire {
    const calls = wire["tool_calls"];
    const answered = wire["tool_call_id"];
    return {
      ...wire,
      ...(typeof answered === "string" ? { tool_call_id: this.#idOf(answered) } : {}),
      ...(Array.isArray(calls) ? { tool_calls: calls.map((call: unknown) => this.#withId(call)) } : {}),
    };
  }

  #withId(call: unknown): unknown {
    return isRecord(call) && typeof call["id"] === "string" ? { ...call, id: this.#idOf(call["id"]) } : call;
  }

  /** A client's own message, without breakpoints where the upstream refuses them. */
  #withoutBreakpoints(own: JsonRecord): Wire {
    const content = own["content"];
    const marked = (value: unknown): boolean => isRecord(value) && value["cache_control"] !== undefined;
    if (!this.#bare || !(marked(own) || (Array.isArray(content) && content.some(marked)))) return { ...own };
    this.drop("cache_control", "refused by the provider");
    const bare = (value: unknown): unknown => {
      if (!isRecord(value)) return value;
      const { cache_control: _cache, ...rest } = value;
      return rest;
    };
    return { ...(bare(own) as Wire), ...(Array.isArray(content) ? { content: content.map(bare) } : {}) };
  }

  /** Text alone as a string, as every upstream takes it; with breakpoints as parts. */
  #text(parts: readonly TextPart[], between: string): string | Wire[] {
    if (!this.#breakpoints || parts.every(({ cache }) => cache === undefined))
      return parts.map(({ text }) => text).join(between);
    return parts.map(({ text, cache }) => ({ type: "text", text, ...cacheControl(cache) }));
  }

  #encode(message: ChatMessage): Wire {
    switch (message.role) {
      case "system":
      case "developer":
        return { role: message.role, content: this.#text(message.content, "\n\n") };
      case "user":
        return named({ role: "user", content: this.#userContent(message.content) }, message.name);
      case "assistant":
        return named(this.#assistant(message.content), message.name);
      case "tool":
        return this.#toolResult(message);
    }
  }

  #userContent(parts: readonly UserPart[]): string | Wire[] {
    const [only] = parts;
    if (parts.length === 1 && only?.type === "text") return this.#text([only], "");
    return parts.flatMap((part) => this.#userPart(part));
  }

  #userPart(part: UserPart): Wire[] {
    switch (part.type) {
      case "text":
        return [{ type: "text", text: part.text, ...(this.#breakpoints ? cacheControl(part.cache) : {}) }];
      case "image": {
        const url = mediaUrl(part.source);
        return url === undefined
          ? this.#refuse("an image has neither an address nor data with a media type")
          : [{ type: "image_url", image_url: { url, ...(part.detail === undefined ? {} : { detail: part.detail }) } }];
      }
      case "file":
        return this.#file(part);
      case "audio":
        return this.#audio(part);
      case "native":
        if (part.dialect === DIALECT && isRecord(part.value)) return [part.value];
        this.drop("messages[].content[]", `a part only ${part.dialect} understands`);
        return [];
    }
  }

  #file(part: FilePart): Wire[] {
    const filename = part.filename === undefined ? {} : { filename: part.filename };
    if (part.fileId !== undefined) {
      if (this.#ownFiles) return [{ type: "file", file: { file_id: part.fileId, ...filename } }];
      return this.#refuse("a file id is valid only at the provider it was uploaded to; send the file's data");
    }
    const { data } = part.source;
    const url = data === undefined ? undefined : mediaUrl({ mediaType: "application/pdf", ...part.source });
    if (url === undefined) return this.#refuse("chat completions take files as data, not by address");
    return [{ type: "file", file: { file_data: url, filename: part.filename ?? "file" } }];
  }

  #audio(part: AudioPart): Wire[] {
    const { data } = part.source;
    const format = part.format ?? audioFormat(part.source.mediaType);
    if (data === undefined || format === undefined) {
      return this.#refuse("chat completions take audio as data with a format");
    }
    return [{ type: "input_audio", input_audio: { data, format } }];
  }

  #refuse(message: string): Wire[] {
    this.fault ??= failure("bad_request", message, {
      reason: "unsupported_parameter",
      param: `messages[${this.messages.length}].content`,
    });
    return [];
  }

  #assistant(parts: readonly AssistantPart[]): Wire {
    const texts: TextPart[] = [];
    let reasoning = "";
    let refusal: string | undefined;
    const calls: Wire[] = [];
    for (const part of parts) {
      if (part.type === "text") texts.push(part);
      else if (part.type === "refusal") refusal = (refusal ?? "") + part.text;
      else if (part.type === "reasoning") {
        reasoning += part.text;
        if (part.encrypted !== undefined) {
          this.drop("messages[].reasoning", "encrypted thinking is readable only by the provider it came from");
        }
      } else if (part.type === "tool-call") calls.push(toolCall(part));
      else if (part.type === "media")
        this.drop("messages[].content[]", `chat completions take no ${part.kind} back from an answer`);
      else this.drop("messages[].content[]", `a part only ${part.dialect} understands`);
    }
    const text = this.#text(texts, "");
    return {
      role: "assistant",
      content: text !== "" || (calls.length === 0 && refusal === undefined) ? text : null,
      ...(reasoning === "" ? {} : { reasoning_content: reasoning }),
      ...(refusal === undefined ? {} : { refusal }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    };
  }

  #toolResult(message: Extract<ChatMessage, { role: "tool" }>): Wire {
    const texts = message.content.filter((part) => part.type === "text");
    const last = texts.at(-1);
    const marked = last && message.cache ? [...texts.slice(0, -1), { ...last, cache: message.cache }] : texts;
    const text = this.#text(marked, "\n");
    const media = message.content.filter((part) => part.type !== "text").flatMap((part) => this.#userPart(part));
    if (media.length > 0) {
      this.#pendingMedia.push(
        { type: "text", text: `Part of the result of tool call ${message.toolCallId}:` },
        ...media,
      );
    }
    if (message.isError) this.drop("messages[].is_error", "tool messages carry no error mark");
    const content = text === "" && media.length > 0 ? "The result follows as media in the next message." : text;
    return { role: "tool", tool_call_id: message.toolCallId, content };
  }
}

export function encodeMessages(
  request: ChatRequest,
  target: WireTarget,
  dropped: DroppedField[],
): Result<readonly Wire[]> {
  const encoder = new MessageEncoder(request, target, dropped);
  for (const message of request.messages) encoder.add(message);
  encoder.flushMedia();
  if (encoder.fault) return err(encoder.fault);
  if (request.native?.dialect === DIALECT && request.messages.some((message) => !originOf(message, DIALECT))) {
    const lost = (request.unmapped ?? []).filter((path) => path.startsWith("messages[]"));
    for (const field of lost) encoder.drop(field, "the message was changed on its way");
  }
  const { messages } = encoder;
  if (request.instructions !== undefined)
    addInstructions(messages, request.instructions, systemRole(target) ?? "system");
  return ok(messages);
}

/** Undefined = as the client wrote it. Only OpenAI's own models know `developer`. */
function systemRole(target: WireTarget): SystemRole | undefined {
  if (target.quirks.developerRole !== true) return "system";
  return isReasoningModel(target) ? "developer" : undefined;
}

function addInstructions(messages: Wire[], instructions: string, role: SystemRole): void {
  const at = messages.findIndex((message) => message["role"] === "system" || message["role"] === "developer");
  const system = messages[at];
  if (system === undefined) {
    messages.unshift({ role, content: instructions });
    return;
  }
  const { content } = system;
  const longer = Array.isArray(content)
    ? [...content, { type: "text", text: instructions }]
    : [content, instructions].filter((text) => typeof text === "string" && text !== "").join("\n\n");
  messages[at] = { ...system, content: longer };
}

function toolCall(part: ToolCallPart): Wire {
  const google = part.signature === undefined ? undefined : { google: { thought_signature: part.signature } };
  return {
    id: part.id,
    type: "function",
    function: { name: part.name, arguments: part.arguments },
    ...(google ? { extra_content: google } : {}),
  };
}

function mediaUrl({ url, data, mediaType }: MediaSource): string | undefined {
  if (url !== undefined) return url;
  return data === undefined || mediaType === undefined ? undefined : `data:${mediaType};base64,${data}`;
}

function audioFormat(mediaType: string | undefined): string | undefined {
  const subtype = mediaType?.split("/")[1]?.split(";")[0]?.replace(/^x-/, "");
  return subtype === "mpeg" ? "mp3" : subtype === "wave" ? "wav" : subtype;
}

function named(message: Wire, name: string | undefined): Wire {
  return name === undefined ? message : { ...message, name };
}

export function cacheControl(cache: CacheBreakpoint | undefined): Wire {
  return cache ? { cache_control: { type: "ephemeral", ...(cache.ttl === "1h" ? { ttl: "1h" } : {}) } } : {};
}
