/** Reads the output text out of a gateway answer that went past, streamed or not. */
import { createParser } from "eventsource-parser";
import { FAILURE_CLASSES, type FailureClass } from "../failure/failure.ts";

export interface ObservedAnswer {
  readonly output: string | undefined;
  readonly outcome: "answered" | FailureClass;
}

/** `text` is the decoded body. A body that holds no answer and no failure class is `undefined`: not captured. */
export function readAnswer(status: number, contentType: string, text: string): ObservedAnswer | undefined {
  return contentType.includes("text/event-stream") ? readStream(text) : readBody(status, parse(text));
}

function readBody(status: number, body: unknown): ObservedAnswer | undefined {
  const failed = failureClass(body);
  if (failed) return { output: undefined, outcome: failed };
  if (status >= 400) return undefined;
  const answer = body as { text?: unknown; choices?: readonly { message?: { content?: unknown } }[] } | undefined;
  const content = answer?.text ?? answer?.choices?.[0]?.message?.content;
  if (answer?.choices === undefined && typeof content !== "string") return undefined;
  return { output: typeof content === "string" ? content : undefined, outcome: "answered" };
}

function readStream(text: string): ObservedAnswer {
  let output = "";
  let failed: FailureClass | undefined;
  let finished = false;
  const parser = createParser({
    onEvent({ data }) {
      if (data === "[DONE]") finished = true;
      const chunk = parse(data) as
        | { choices?: readonly { index?: number; delta?: { content?: unknown }; finish_reason?: unknown }[] }
        | undefined;
      failed ??= failureClass(chunk);
      for (const choice of chunk?.choices ?? []) {
        if ((choice.index ?? 0) !== 0) continue;
        if (typeof choice.delta?.content === "string") output += choice.delta.content;
        if (choice.finish_reason) finished = true;
      }
    },
  });
  parser.feed(text);
  parser.feed("\n\n");
  const outcome = failed ?? (finished ? "answered" : "canceled");
  return { output: outcome === "answered" ? output : undefined, outcome };
}

function failureClass(body: unknown): FailureClass | undefined {
  const word = (body as { error?: { failure_class?: unknown } } | undefined)?.error?.failure_class;
  return FAILURE_CLASSES.find((known) => known === word);
}

function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
