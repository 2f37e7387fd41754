/** Generates a simulated answer as server-sent chunks while they are read. */
import type { SimAnswer } from "./answer.ts";

/** Tokens streamed at a time, four characters each. */
export const TOKENS_PER_CHUNK = 4;

/** Fields of every body and chunk of an answer. */
export type Envelope = Readonly<Record<"id" | "model" | "system_fingerprint", string>> & {
  readonly created: number;
  readonly simulated: true;
};

export type SimUsage = Readonly<Record<"prompt_tokens" | "completion_tokens" | "total_tokens", number>>;

/** `between` runs before every content chunk after the first and may reject when the reader has gone away. */
export function streamBody(
  answers: readonly SimAnswer[],
  envelope: Envelope,
  usage: SimUsage | undefined,
  between: () => Promise<void>,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const chunks = chunksOf(answers, usage !== undefined);
  let first = true;
  const send = (controller: ReadableStreamDefaultController<Uint8Array>, data: string) =>
    controller.enqueue(encoder.encode(`data: ${data}\n\n`));
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = chunks.next();
      if (!next.done) {
        if (!first) await between();
        first = false;
        send(controller, JSON.stringify({ ...envelope, object: "chat.completion.chunk", ...next.value }));
        return;
      }
      if (usage) send(controller, JSON.stringify({ ...envelope, object: "chat.completion.chunk", choices: [], usage }));
      send(controller, "[DONE]");
      controller.close();
    },
  });
}

interface ChunkBody {
  readonly choices: readonly unknown[];
  readonly usage?: null;
}

function* chunksOf(answers: readonly SimAnswer[], withUsage: boolean): Generator<ChunkBody> {
  const chunk = (index: number, delta: object, finish: string | null = null): ChunkBody => ({
    choices: [{ index, delta, logprobs: null, finish_reason: finish }],
    ...(withUsage ? { usage: null } : {}),
  });
  for (const [index, { text, toolCalls, finish }] of answers.entries()) {
    yield chunk(index, { role: "assistant", content: toolCalls.length > 0 ? null : "" });
    for (const piece of pieces(text)) yield chunk(index, { content: piece });
    for (const [position, call] of toolCalls.entries()) {
      const head = { index: position, id: call.id, type: "function", function: { name: call.name, arguments: "" } };
      yield chunk(index, { tool_calls: [head] });
      for (const piece of pieces(call.arguments))
        yield chunk(index, { tool_calls: [{ index: position, function: { arguments: piece } }] });
    }
    yield chunk(index, {}, finish);
  }
}

const PIECE = TOKENS_PER_CHUNK * 4;

/** Does not split surrogate pairs. */
function* pieces(text: string): Generator<string> {
  const characters = [...text];
  for (let at = 0; at < characters.length; at += PIECE) yield characters.slice(at, at + PIECE).join("");
}
