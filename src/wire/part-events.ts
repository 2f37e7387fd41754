import { isRecord, stringAt } from "../json/record.ts";
import type { AssistantPart, NativePart, ReasoningPart } from "./chat.ts";
import type { StreamEvent } from "./stream-event.ts";

/** A whole part as events of a stream. `index` counts the tool calls of the choice. */
export function partEvents(part: AssistantPart, choice: number, index: number): StreamEvent[] {
  switch (part.type) {
    case "text":
      return [{ type: "text-delta", choice, text: part.text }];
    case "refusal":
      return [{ type: "refusal-delta", choice, text: part.text }];
    case "reasoning":
      return [thinkingDelta(part, choice)];
    case "tool-call":
      return [
        {
          type: "tool-call-start",
          choice,
          index,
          id: part.id,
          name: part.name,
          ...(part.custom ? { custom: true } : {}),
          ...(part.namespace === undefined ? {} : { namespace: part.namespace }),
          signature: part.signature,
        },
        { type: "tool-call-delta", choice, index, arguments: part.arguments },
      ];
    case "media": {
      const { type: _type, ...media } = part;
      return [{ type: "media", choice, media }];
    }
    case "native":
      return [{ type: "opaque-delta", choice, what: nativeName(part) }];
  }
}

function thinkingDelta(part: ReasoningPart, choice: number): StreamEvent {
  return { ...part, type: "reasoning-delta", choice };
}

/** What kind of content only its own dialect can show: its type (`server_tool_use`), or Gemini's one member (`executableCode`). */
export function nativeName({ value }: Pick<NativePart, "value">): string {
  const [member] = Object.keys(isRecord(value) ? value : {}).filter((key) => !key.startsWith("thought"));
  return stringAt(value, "type") ?? member ?? "content";
}
