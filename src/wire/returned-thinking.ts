/** Thinking that a client hands back: read out of the opaque values made for it, each signature where it belongs. */
import { carriedThinking } from "./carried-thinking.ts";
import type { AssistantPart, ReasoningPart } from "./chat.ts";

/** An earlier turn with thinking of other dialects as these wrote it, and Gemini's signatures on the calls they sign. */
export function withReturnedThinking(content: readonly AssistantPart[]): readonly AssistantPart[] {
  if (!content.some(({ type }) => type === "reasoning")) return content;
  const read = content.map((part) => (part.type === "reasoning" ? returned(part) : part));
  const signatures = new Map(
    read.flatMap((part) =>
      part.type === "reasoning" && part.callId !== undefined && part.signature !== undefined
        ? [[part.callId, part.signature] as const]
        : [],
    ),
  );
  return read
    .filter((part) => part.type !== "reasoning" || part.callId === undefined)
    .map((part) => {
      const signature = part.type === "tool-call" ? signatures.get(part.id) : undefined;
      return part.type === "tool-call" && signature !== undefined ? { ...part, signature } : part;
    });
}

function returned(part: ReasoningPart): ReasoningPart {
  const held = carriedThinking(part.signature) ?? carriedThinking(part.encrypted);
  return held === undefined ? part : { type: "reasoning", ...held, text: held.text === "" ? part.text : held.text };
}
