/** Answers the bench upstream gives. Their shape is in the model's name, `<events>x<characters>`, so that both sides know it. */

export interface Shape {
  /** Content events of a stream; a whole answer holds the same text in one piece. */
  readonly events: number;
  /** Characters of text per event. */
  readonly characters: number;
}

export const shapeName = ({ events, characters }: Shape): string => `${events}x${characters}`;

export function shapeOf(model: string): Shape {
  const [events = 1, characters = 1] = model.split("x").map(Number);
  return { events, characters };
}

/** Wires of the bench upstream, by the word `modelrig.yaml` has for them. */
export const WIRES = ["openai", "anthropic", "gemini"] as const;
export type Wire = (typeof WIRES)[number];

const usage = ({ events }: Shape) => ({ prompt_tokens: 20, completion_tokens: events, total_tokens: 20 + events });
const text = ({ characters }: Shape): string => "word ".repeat(Math.ceil(characters / 5)).slice(0, characters);

export function wholeAnswer(wire: Wire, model: string): string {
  const shape = shapeOf(model);
  const content = text(shape).repeat(shape.events);
  switch (wire) {
    case "openai":
      return JSON.stringify({
        ...{ id: "chatcmpl-bench", object: "chat.completion", created: 1_750_000_000, model },
        choices: [
          { index: 0, message: { role: "assistant", content, refusal: null }, logprobs: null, finish_reason: "stop" },
        ],
        usage: usage(shape),
        system_fingerprint: "fp_bench",
      });
    case "anthropic":
      return JSON.stringify({
        ...{ id: "msg_bench", type: "message", role: "assistant", model, stop_reason: "end_turn", stop_sequence: null },
        content: [{ type: "text", text: content }],
        usage: { input_tokens: 20, output_tokens: shape.events },
      });
    case "gemini":
      return JSON.stringify(geminiChunk(content, shape, "STOP"));
  }
}

/** Every SSE event of a streamed answer, framed. */
export function streamedAnswer(wire: Wire, model: string): readonly string[] {
  const shape = shapeOf(model);
  const deltas = Array.from({ length: shape.events }, () => text(shape));
  switch (wire) {
    case "openai": {
      const chunk = (choices: readonly unknown[], more = {}) =>
        `data: ${JSON.stringify({ id: "chatcmpl-bench", object: "chat.completion.chunk", created: 1_750_000_000, model, service_tier: "default", system_fingerprint: "fp_bench", choices, usage: null, ...more })}\n\n`;
      const choice = (delta: unknown, finish: string | null = null) => [
        { index: 0, delta, logprobs: null, finish_reason: finish },
      ];
      return [
        chunk(choice({ role: "assistant", content: "", refusal: null })),
        ...deltas.map((content) => chunk(choice({ content }))),
        chunk(choice({}, "stop")),
        chunk([], { usage: usage(shape) }),
        "data: [DONE]\n\n",
      ];
    }
    case "anthropic": {
      const event = (type: string, body: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...body })}\n\n`;
      const message = { id: "msg_bench", type: "message", role: "assistant", model, content: [], stop_reason: null };
      return [
        event("message_start", { message: { ...message, usage: { input_tokens: 20, output_tokens: 1 } } }),
        event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
        ...deltas.map((delta) =>
          event("content_block_delta", { index: 0, delta: { type: "text_delta", text: delta } }),
        ),
        event("content_block_stop", { index: 0 }),
        event("message_delta", {
          delta: { stop_reason: "end_turn", stop_sequence: null },
          usage: { output_tokens: shape.events },
        }),
        event("message_stop", {}),
      ];
    }
    case "gemini":
      return deltas.map(
        (delta, position) =>
          `data: ${JSON.stringify(geminiChunk(delta, shape, position === shape.events - 1 ? "STOP" : undefined))}\r\n\r\n`,
      );
  }
}

function geminiChunk(content: string, { events }: Shape, finish: string | undefined): object {
  return {
    candidates: [{ content: { role: "model", parts: [{ text: content }] }, index: 0, finishReason: finish }],
    usageMetadata: { promptTokenCount: 20, candidatesTokenCount: events, totalTokenCount: 20 + events },
    modelVersion: "bench",
    responseId: "bench",
  };
}
