/** Converts between a stream of events and a whole answer, in both directions. */
import type { Usage } from "../money/usage.ts";
import type { AnswerChoice, AssistantPart, ChatAnswer, FinishReason, MediaPart, ReasoningPart } from "../wire/chat.ts";
import { partEvents } from "../wire/part-events.ts";
import type { StreamEvent, WireFrame } from "../wire/stream-event.ts";

interface ChoiceDraft {
  readonly parts: DraftPart[];
  readonly calls: Map<number, Extract<DraftPart, { type: "tool-call" }>>;
  finish: FinishReason | undefined;
}

type DraftPart =
  | { readonly type: "text" | "refusal"; text: string }
  | { -readonly [Key in keyof ReasoningPart]: ReasoningPart[Key] }
  | MediaPart
  | {
      readonly type: "tool-call";
      readonly id: string;
      readonly name: string;
      arguments: string;
      readonly custom?: boolean | undefined;
      readonly namespace?: string | undefined;
      readonly signature?: string | undefined;
    };

/**
 * Builds the whole answer from a stream of events. Memory grows with the answer, so use it only where the whole is
 * needed.
 */
export class AnswerAssembler {
  readonly #choices = new Map<number, ChoiceDraft>();
  #id: string | undefined;
  #model: string | undefined;
  #usage: Usage | undefined;
  #servedTier: string | undefined;

  add(event: StreamEvent): void {
    switch (event.type) {
      case "start":
        this.#id ??= event.id;
        this.#model ??= event.model;
        return;
      case "text-delta":
        this.#append(event.choice, "text", event.text);
        return;
      case "refusal-delta":
        this.#append(event.choice, "refusal", event.text);
        return;
      case "reasoning-delta":
        this.#think(event);
        return;
      case "tool-call-start": {
        const call = {
          type: "tool-call" as const,
          id: event.id,
          name: event.name,
          arguments: "",
          ...(event.custom ? { custom: true } : {}),
          ...(event.namespace === undefined ? {} : { namespace: event.namespace }),
          signature: event.signature,
        };
        const draft = this.#draft(event.choice);
        draft.calls.set(event.index, call);
        draft.parts.push(call);
        return;
      }
      case "tool-call-delta": {
        const call = this.#draft(event.choice).calls.get(event.index);
        if (call) call.arguments += event.arguments;
        return;
      }
      case "media":
        this.#draft(event.choice).parts.push({ type: "media", ...event.media });
        return;
      case "finish":
        this.#draft(event.choice).finish = event.finish;
        return;
      case "usage":
        this.#usage = event.usage;
        this.#servedTier = event.servedTier ?? this.#servedTier;
        return;
    }
  }

  answer(): ChatAnswer {
    const choices = [...this.#choices].sort(([a], [b]) => a - b);
    return {
      id: this.#id,
      model: this.#model,
      usage: this.#usage,
      servedTier: this.#servedTier,
      choices: choices.map(([index, draft]) => ({
        index,
        content: draft.parts.map((part): AssistantPart => ({ ...part })),
        finish: draft.finish ?? { unified: "other", raw: undefined },
      })),
    };
  }

  #draft(choice: number): ChoiceDraft {
    let draft = this.#choices.get(choice);
    if (!draft) {
      draft = { parts: [], calls: new Map(), finish: undefined };
      this.#choices.set(choice, draft);
    }
    return draft;
  }

  #append(choice: number, type: "text" | "refusal", text: string): void {
    const { parts } = this.#draft(choice);
    const last = parts.at(-1);
    if (last?.type === type) last.text += text;
    else parts.push({ type, text });
  }

  #think(event: Extract<StreamEvent, { type: "reasoning-delta" }>): void {
    const { parts } = this.#draft(event.choice);
    const last = parts.at(-1);
    const open =
      last?.type === "reasoning" && last.signature === undefined && last.encrypted === undefined ? last : undefined;
    const { text, signature, encrypted, id, from, callId } = event;
    if (!open) {
      parts.push({ type: "reasoning", text, signature, encrypted, id, from, callId });
      return;
    }
    open.text += text;
    open.signature = signature;
    open.encrypted = encrypted;
    open.id = id;
    open.callId = callId;
  }
}

/**
 * Returns a whole answer as frames, one delta per part. Used where an answer was held back, repaired or not streamed.
 */
export function answerToFrames(answer: ChatAnswer): WireFrame[] {
  const frames: WireFrame[] = [{ events: [{ type: "start", id: answer.id, model: answer.model }] }];
  for (const choice of answer.choices) frames.push(...choiceFrames(choice));
  if (answer.usage) frames.push({ events: [{ type: "usage", usage: answer.usage, servedTier: answer.servedTier }] });
  frames.push({ events: [{ type: "end" }] });
  return frames;
}

function choiceFrames(choice: AnswerChoice): WireFrame[] {
  const frames: WireFrame[] = [];
  let index = 0;
  for (const part of choice.content) {
    const events = partEvents(part, choice.index, index);
    if (part.type === "tool-call") index += 1;
    if (events.length > 0) frames.push({ events });
  }
  frames.push({ events: [{ type: "finish", choice: choice.index, finish: choice.finish }] });
  return frames;
}
