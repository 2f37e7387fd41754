/** Answers of a model that was given functions for the client's tools: its calls as the client's own again. */
import type { ChatAnswer } from "../chat.ts";
import type { StreamDecoder } from "../dialect.ts";
import type { StreamEvent, WireFrame } from "../stream-event.ts";
import { type ClientTools, clientCall } from "./client-tools.ts";

export function withClientCalls(answer: ChatAnswer, tools: ClientTools): ChatAnswer {
  if (tools.size === 0) return answer;
  const choices = answer.choices.map((choice) => ({
    ...choice,
    content: choice.content.map((part) => (part.type === "tool-call" ? clientCall(part, tools) : part)),
  }));
  // The upstream's own body names the functions, so it cannot be served as it is.
  return { ...answer, choices, native: undefined };
}

export function decodingClientCalls(decoder: StreamDecoder, tools: ClientTools): StreamDecoder {
  if (tools.size === 0) return decoder;
  const calls = new ClientCallStream(tools);
  return {
    decode: (event) => calls.frame(decoder.decode(event)),
    finish: () => calls.frame(decoder.finish()),
  };
}

/** The text of a custom call can be read only when its JSON is complete, so it is held until its choice ends. */
class ClientCallStream {
  readonly #tools: ClientTools;
  readonly #held = new Map<
    string,
    { readonly choice: number; readonly index: number; readonly name: string; text: string }
  >();

  constructor(tools: ClientTools) {
    this.#tools = tools;
  }

  frame({ events }: WireFrame): WireFrame {
    return { events: events.flatMap((event) => this.#event(event)) };
  }

  #event(event: StreamEvent): StreamEvent[] {
    switch (event.type) {
      case "tool-call-start": {
        const tool = this.#tools.get(event.name);
        if (tool === undefined) return [event];
        const { choice, index } = event;
        if (tool.custom) this.#held.set(`${choice}/${index}`, { choice, index, name: event.name, text: "" });
        const { name, namespace, custom } = tool;
        return [{ ...event, name, ...(namespace === undefined ? {} : { namespace }), ...(custom ? { custom } : {}) }];
      }
      case "tool-call-delta": {
        const held = this.#held.get(`${event.choice}/${event.index}`);
        if (held === undefined) return [event];
        held.text += event.arguments;
        return [];
      }
      case "finish":
        return [...this.#released(event.choice), event];
      default:
        return [event];
    }
  }

  #released(choice: number): StreamEvent[] {
    const events: StreamEvent[] = [];
    for (const [key, held] of this.#held) {
      if (held.choice !== choice) continue;
      this.#held.delete(key);
      const { index, name, text } = held;
      const call = clientCall({ type: "tool-call", id: "", name, arguments: text }, this.#tools);
      events.push({ type: "tool-call-delta", choice, index, arguments: call.arguments });
    }
    return events;
  }
}
