/** Puts the parts of a streamed answer one after another, for dialects whose blocks or items do not interleave. */
import type { StreamEvent } from "./stream-event.ts";

interface OpenCall {
  readonly index: number;
  readonly custom: boolean;
  text: string;
}

/**
 * Calls may interleave upstream. One call streams live; any other part waits until the arguments of that call are whole
 * JSON or the answer ends. Such a dialect has no field for choices other than the first.
 */
export class PartSequence {
  #open: OpenCall | undefined;
  #waiting: StreamEvent[] = [];

  /** The events that may be written now. */
  next(event: StreamEvent): readonly StreamEvent[] {
    if ("choice" in event && event.choice !== 0) return [];
    if (event.type === "end" || event.type === "error") return [...this.#released(true), event];
    if (!beginsOrContinues(event)) return [event];
    const open = this.#open;
    if (event.type === "tool-call-delta" && event.index === open?.index) {
      open.text += event.arguments;
      return this.#waiting.length > 0 && isWhole(open) ? [event, ...this.#released(false)] : [event];
    }
    if (this.#waiting.length > 0 || (open && !isWhole(open))) {
      this.#waiting.push(event);
      return [];
    }
    return this.#begun(event);
  }

  #begun(event: StreamEvent): readonly StreamEvent[] {
    // More of a call that was over: its arguments were whole, and what follows them belongs to no part.
    if (event.type === "tool-call-delta") return [];
    this.#open =
      event.type === "tool-call-start" ? { index: event.index, custom: event.custom === true, text: "" } : undefined;
    return [event];
  }

  /** What waited, as far as it may go now; all of it where the answer is over. */
  #released(over: boolean): StreamEvent[] {
    const events: StreamEvent[] = [];
    do {
      const waiting = this.#waiting;
      this.#waiting = [];
      this.#open = undefined;
      for (const event of waiting) events.push(...this.next(event));
    } while (over && this.#waiting.length > 0);
    return events;
  }
}

function beginsOrContinues(event: StreamEvent): boolean {
  switch (event.type) {
    case "text-delta":
    case "refusal-delta":
      return event.text !== "";
    case "reasoning-delta":
    case "media":
    case "tool-call-start":
    case "tool-call-delta":
      return true;
    default:
      return false;
  }
}

/** Free text has no end mark: it is complete as soon as something follows it. */
function isWhole({ custom, text }: OpenCall): boolean {
  if (custom) return true;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
