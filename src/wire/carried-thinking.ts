/**
 * Thinking that one provider signed or encrypted, inside the opaque field of another dialect. Clients hand such fields
 * back unread, so the thinking returns on the next turn and can go on to the provider that made it.
 */
import { isRecord, stringAt } from "../json/record.ts";
import type { DialectName, ReasoningPart } from "./chat.ts";

type Thinking = Omit<ReasoningPart, "type">;

/** Marks values made here. No provider's own begin so. */
const MARK = "modelrig.1.";

const DIALECTS: readonly DialectName[] = ["openai-chat", "openai-responses", "anthropic-messages", "gemini"];

/** One opaque value that holds all that `carriedThinking` gives back. */
export function carryThinking({ text, signature, encrypted, id, from, callId }: Thinking): string {
  const json = JSON.stringify({ text, signature, encrypted, id, from, callId });
  const bytes = new TextEncoder().encode(json);
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return MARK + btoa(binary);
}

/** The thinking inside an opaque value; undefined where the value is a provider's own. */
export function carriedThinking(opaque: string | undefined): Thinking | undefined {
  if (!opaque?.startsWith(MARK)) return undefined;
  const held = parsed(opaque.slice(MARK.length));
  const from = DIALECTS.find((dialect) => dialect === stringAt(held, "from"));
  if (from === undefined) return undefined;
  return {
    text: stringAt(held, "text") ?? "",
    signature: stringAt(held, "signature"),
    encrypted: stringAt(held, "encrypted"),
    id: stringAt(held, "id"),
    from,
    callId: stringAt(held, "callId"),
  };
}

function parsed(base64: string): unknown {
  try {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns thinking in a form that a client of `dialect` can hold: its own dialect's unchanged; another's whole inside
 * `signature`, with `text` left readable. Thinking without signature or encryption stays text.
 */
export function thinkingFor(dialect: DialectName, thinking: Thinking): Thinking {
  const own = thinking.from === undefined || thinking.from === dialect;
  if (own || (thinking.signature === undefined && thinking.encrypted === undefined)) return thinking;
  return { text: thinking.text, signature: carryThinking(thinking), from: dialect };
}
