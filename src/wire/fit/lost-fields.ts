/** Parts of a client's request that no other dialect can express. They are reported, never dropped silently. */
import type { ChatRequest, DialectName } from "../chat.ts";
import type { DroppedField } from "../dialect.ts";

/** Neutral details that a target may not support. */
interface Carries {
  /** A name beside a message's role. */
  readonly names: boolean;
  /** How closely an image is to be read. */
  readonly imageDetail: boolean;
  /** A mark on the result of a tool that failed. */
  readonly toolErrors: boolean;
  /** Breakpoints of a prompt cache behind parts, results and tools. */
  readonly cache: boolean;
}

/**
 * Appends one entry per kind of loss. A client of the target's own dialect loses nothing, because its body is passed
 * along.
 */
export function reportLost(
  request: ChatRequest,
  dialect: DialectName,
  carries: Carries,
  dropped: DroppedField[],
): void {
  if (request.native?.dialect === dialect) return;
  const fields = new Map((request.unmapped ?? []).map((field) => [field, "belongs to another dialect"]));
  if (!carries.cache && hasBreakpoints(request)) fields.set("cache_control", "prompts carry no cache breakpoints here");
  for (const message of request.messages) {
    if (!carries.names && "name" in message && message.name !== undefined)
      fields.set("messages[].name", "messages carry no name here");
    if (!carries.toolErrors && message.role === "tool" && message.isError)
      fields.set("messages[].is_error", "tool results carry no error mark here");
    if (carries.imageDetail) continue;
    for (const part of message.content) {
      if (part.type === "image" && part.detail !== undefined && part.detail !== "auto")
        fields.set("messages[].content[].image_url.detail", "images carry no detail here");
    }
  }
  for (const [field, why] of fields) dropped.push({ field, why });
}

function hasBreakpoints({ messages, tools }: ChatRequest): boolean {
  const marked = (part: object): boolean => "cache" in part && part.cache !== undefined;
  return (tools ?? []).some(marked) || messages.some((message) => marked(message) || message.content.some(marked));
}
