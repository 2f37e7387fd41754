/** Neutral answer → body of a chat completion, for a client. */
import { arrayAt, isRecord, type JsonRecord, recordAt } from "../../json/record.ts";
import {
  type AnswerChoice,
  type AssistantPart,
  answerText,
  type ChatAnswer,
  type MediaPart,
  type ReasoningPart,
  type ToolCallPart,
} from "../chat.ts";
import type { ServedContext } from "../dialect.ts";
import { openaiTier } from "../openai-tier.ts";
import { nativeName } from "../part-events.ts";
import { calledTool, THINKING_FORMATS } from "./content.ts";
import { wireFinish } from "./finish.ts";
import { wireUsage } from "./usage.ts";

type Wire = Record<string, unknown>;

/** Sets the model that served and the gateway's own id; a provider's further fields stay. */
export function encodeAnswer(answer: ChatAnswer, served: ServedContext): Wire {
  const own = answer.native?.dialect === "openai-chat" ? answer.native.body : undefined;
  const usage = answer.usage && wireUsage(answer.usage, recordAt(own, "usage"));
  const ownChoices = arrayAt(own, "choices") ?? [];
  return {
    ...own,
    id: served.id,
    object: "chat.completion",
    created: served.created,
    model: served.model,
    choices: answer.choices.map((choice, position) => encodeChoice(choice, ownChoices[position], served)),
    ...(usage ? { usage } : {}),
    // A word that OpenAI's clients do not know is left out, also from an upstream's own body.
    service_tier: openaiTier(answer.servedTier),
  };
}

function encodeChoice(choice: AnswerChoice, own: unknown, served: ServedContext): Wire {
  const base = isRecord(own) ? own : {};
  const message = recordAt(base, "message");
  return {
    ...base,
    index: choice.index,
    message: message ? repairedMessage(message, choice) : builtMessage(choice.content, served),
    logprobs: choice.logprobs ?? null,
    finish_reason: wireFinish(choice.finish),
  };
}

/** A provider's own message in the form that OpenAI's clients expect: text as a string, every call with id and type. */
function repairedMessage(message: JsonRecord, choice: AnswerChoice): Wire {
  const repaired: Wire = { ...message, role: "assistant" };
  if (Array.isArray(message["content"])) {
    repaired["content"] = answerText(choice);
    const thought = joined(choice.content, "reasoning");
    if (thought !== "") repaired["reasoning_content"] ??= thought;
  }
  repaired["content"] ??= null;
  repaired["refusal"] ??= null;
  const neutral = choice.content.filter((part) => part.type === "tool-call");
  if (neutral.length === 0) {
    // An empty member (`function_call: { name: "" }`) looks like a call to a client that only checks whether it is
    // present.
    delete repaired["tool_calls"];
    delete repaired["function_call"];
  } else if (arrayAt(message, "tool_calls")?.length) {
    const own = (arrayAt(message, "tool_calls") ?? []).filter(isRecord).filter((call) => calledTool(call).said);
    repaired["tool_calls"] = neutral.map((call, index) => repairedCall(own[index] ?? {}, call));
    delete repaired["function_call"];
  }
  return repaired;
}

function repairedCall(own: JsonRecord, neutral: ToolCallPart): Wire {
  const { index: _index, function: _function, custom: _custom, ...rest } = own;
  return { ...rest, ...calledMember(neutral, calledTool(own).record) };
}

/** Id, type and what is called, as OpenAI writes them. `own` keeps further members of the upstream's. */
function calledMember(call: Omit<ToolCallPart, "type">, own: JsonRecord | undefined): Wire {
  const { id, name, arguments: text } = call;
  return call.custom
    ? { id, type: "custom", custom: { ...own, name, input: text } }
    : { id, type: "function", function: { ...own, name, arguments: text } };
}

function builtMessage(content: readonly AssistantPart[], served: ServedContext): Wire {
  const calls = content.filter((part) => part.type === "tool-call");
  const media = content.filter((part) => part.type === "media");
  for (const part of content) if (part.type === "native") served.lost?.(`content.${nativeName(part)}`);
  const text = joined(content, "text");
  const refusal = joined(content, "refusal");
  const thought = joined(content, "reasoning");
  const details = content.flatMap((part) => (part.type === "reasoning" ? reasoningDetails(part) : []));
  return {
    role: "assistant",
    content: text === "" && (calls.length > 0 || refusal !== "" || media.length > 0) ? null : text,
    refusal: refusal === "" ? null : refusal,
    ...(thought === "" ? {} : { reasoning_content: thought }),
    ...(details.length === 0 ? {} : { reasoning_details: details }),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map(builtCall) }),
    ...mediaMembers(media, served),
  };
}

/** Returns a call as OpenAI writes it; Gemini's signature goes into `extra_content`, as in Google's own endpoint. */
export function builtCall(call: Omit<ToolCallPart, "type">): Wire {
  const google = call.signature === undefined ? undefined : { google: { thought_signature: call.signature } };
  return { ...calledMember(call, undefined), ...(google ? { extra_content: google } : {}) };
}

/** Pictures as OpenRouter's clients know them, one sound as OpenAI's do: a message has place for no second. */
function mediaMembers(media: readonly Omit<MediaPart, "type">[], served: ServedContext): Wire {
  const [sound, ...more] = media.filter(({ kind }) => kind === "audio");
  if (more.length > 0) served.lost?.("content.audio");
  const images = media.filter(({ kind }) => kind === "image").flatMap((image) => mediaMember(image, served)["images"]);
  return { ...(sound ? mediaMember(sound, served) : {}), ...(images.length > 0 ? { images } : {}) };
}

/** The member of a message, or of a delta of one, that holds this one picture or sound. */
export function mediaMember(
  { kind, data, mediaType, transcript = "" }: Omit<MediaPart, "type">,
  served: ServedContext,
): Wire {
  if (kind === "image")
    return { images: [{ type: "image_url", image_url: { url: `data:${mediaType};base64,${data}` } }] };
  // Nothing is kept by id here; the client's own copy is all there is.
  return { audio: { id: `audio_${served.id}`, data, expires_at: served.created, transcript } };
}

/**
 * Thinking that must be returned unchanged: signed or encrypted, in the form that OpenRouter's clients return. `format`
 * names its provider, in OpenRouter's words.
 */
export function reasoningDetails(part: Omit<ReasoningPart, "type">): Wire[] {
  const { text, signature, encrypted, id, from } = part;
  const common = { ...(id === undefined ? {} : { id }), ...(from ? { format: THINKING_FORMATS[from] } : {}), index: 0 };
  if (encrypted !== undefined) return [{ type: "reasoning.encrypted", data: encrypted, ...common }];
  return signature === undefined ? [] : [{ type: "reasoning.text", text, signature, ...common }];
}

function joined(content: readonly AssistantPart[], type: "text" | "refusal" | "reasoning"): string {
  let text = "";
  for (const part of content) if (part.type === type) text += part.text;
  return text;
}
