/** Reads the output text from a gateway answer that passed the proxy, streamed or not. */
import { createParser } from "eventsource-parser";
import { FAILURE_CLASSES, type FailureClass } from "../failure/failure.ts";
import { arrayAt, recordAt, stringAt } from "../json/record.ts";

interface ObservedAnswer {
  readonly output: string | undefined;
  readonly outcome: "answered" | FailureClass;
}

/** `text` is the decoded body. Returns `undefined` for a body without answer and failure class: it is not captured. */
export function readAnswer(status: number, contentType: string, text: string): ObservedAnswer | undefined {
  return contentType.includes("text/event-stream") ? readStream(text) : readBody(status, parse(text));
}

function readBody(status: number, body: unknown): ObservedAnswer | undefined {
  const failed = failureClass(body);
  if (failed) return { output: undefined, outcome: failed };
  return status >= 400 ? undefined : chatOutput(body);
}

/** The output of a whole answer of any chat endpoint, or of `/v1/run`; undefined for any other body. */
export function chatOutput(body: unknown): ObservedAnswer | undefined {
  const spoken = spokenText(body);
  if (spoken !== undefined) return { output: spoken, outcome: "answered" };
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
      const event = parse(data);
      output += deltaText(event);
      if (ENDS.has(stringAt(event, "type") ?? "")) finished = true;
      const chunk = event as
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

/** Events that end an answer of the Messages and the Responses API. */
const ENDS: ReadonlySet<string> = new Set(["message_stop", "response.completed", "response.incomplete"]);

/** Returns the text of a streamed event of either API; thinking and tool input are not output. */
function deltaText(event: unknown): string {
  const type = stringAt(event, "type");
  if (type === "response.output_text.delta") return stringAt(event, "delta") ?? "";
  return type === "content_block_delta" ? (stringAt(recordAt(event, "delta"), "text") ?? "") : "";
}

/** Returns the text of a whole message or response object; undefined for bodies of other endpoints. */
function spokenText(body: unknown): string | undefined {
  const parts =
    stringAt(body, "type") === "message"
      ? arrayAt(body, "content")
      : stringAt(body, "object") === "response"
        ? arrayAt(body, "output")?.flatMap((item) => arrayAt(item, "content") ?? [])
        : undefined;
  const texts = parts?.filter((part) => ["text", "output_text"].includes(stringAt(part, "type") ?? ""));
  return texts?.map((part) => stringAt(part, "text") ?? "").join("");
}

function failureClass(body: unknown): FailureClass | undefined {
  // The Responses API's `error` event has it at the top level.
  const top = stringAt(body, "type") === "error" ? stringAt(body, "failure_class") : undefined;
  const word = top ?? stringAt(recordAt(body, "error"), "failure_class");
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
