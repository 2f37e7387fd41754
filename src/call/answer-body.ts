/** Reads bodies by their content, not by their label or by what was requested. */
import { type Failure, failure, type Result } from "../failure/failure.ts";
import { exceedsMembers, MOST_MEMBERS } from "../json/depth.ts";
import { parseExact } from "../json/exact-numbers.ts";
import { parsedJson } from "../json/parsed.ts";
import { recordAt } from "../json/record.ts";
import type { ChatAnswer } from "../wire/chat.ts";
import type { SseEvent, UpstreamDialect, WireTarget } from "../wire/dialect.ts";
import { isEventStream, sseEventsIn } from "../wire/sse.ts";
import { failureIn } from "../wire/stream-event.ts";
import { AnswerAssembler } from "./assemble.ts";

interface Spoken {
  readonly dialect: UpstreamDialect;
  readonly target: WireTarget;
}

/** Returns the answer in a whole body, which is JSON or the events of a stream. */
export function answerIn(body: string, status: number, { dialect, target }: Spoken): Result<ChatAnswer> {
  if (isEventStream(body)) return assembled(sseEventsIn(body), { dialect, target });
  const json = jsonIn(body, status);
  if (!json.ok) return json;
  // Gemini's stream without `alt=sse`: the same fragments in one array. An array of one error is an error.
  const fragments =
    Array.isArray(json.value) && recordAt(json.value[0], "error") === undefined ? json.value : undefined;
  return fragments?.length
    ? assembled(
        fragments.map((fragment) => ({ data: JSON.stringify(fragment) })),
        { dialect, target },
      )
    : dialect.decodeAnswer(json.value, target);
}

/**
 * Members of a provider's own body: more in one object than any API has, and in all more than log probabilities of a
 * long answer need.
 */
const MOST_BODY_MEMBERS = { each: MOST_MEMBERS.each, total: 4_000_000 };

/**
 * Parses a body as JSON, unless it has so many members that parsing alone would hold up other calls. A body that begins as JSON and does not parse was truncated; any other is no answer of this
 * API.
 */
export function jsonIn(body: string, status: number): Result<unknown> {
  if (exceedsMembers(body, MOST_BODY_MEMBERS)) return { ok: false, error: crowdedBody(status) };
  try {
    return { ok: true, value: parseExact(body) };
  } catch {
    return { ok: false, error: /^\s*[[{]/.test(body) ? cutBody(status) : unexpectedBody(status, body) };
  }
}

/** The JSON in a body that is no answer, for what it says of its usage; undefined where it is not to be parsed. */
export function jsonBeside(body: string): unknown {
  return exceedsMembers(body, MOST_BODY_MEMBERS) ? undefined : parsedJson(body);
}

function assembled(events: readonly SseEvent[], { dialect, target }: Spoken): Result<ChatAnswer> {
  const decoder = dialect.streamDecoder(target);
  const assembler = new AnswerAssembler();
  const frames = [...events.map((event) => decoder.decode(event)), decoder.finish()];
  for (const frame of frames) {
    const broken = failureIn(frame);
    if (broken) return { ok: false, error: broken };
    for (const event of frame.events) assembler.add(event);
  }
  return { ok: true, value: assembler.answer() };
}

function cutBody(status: number): Failure {
  return failure("network", `the upstream answered ${status} with JSON that ends early or is damaged`, {
    reason: "malformed_response",
    status,
  });
}

function crowdedBody(status: number): Failure {
  const message = `the upstream answered ${status} with JSON of more than ${MOST_BODY_MEMBERS.each} members in one object`;
  return failure("network", message, { reason: "unexpected_content", status });
}

/** The address serves something other than this API, so a retry would get the same. */
export function unexpectedBody(status: number, body: string): Failure {
  const start = body.trimStart();
  const what = start === "" ? "an empty body" : start.startsWith("<") ? "a web page" : "a body that is not JSON";
  return failure("network", `the upstream answered ${status} with ${what}; is its base URL that of its API?`, {
    reason: "unexpected_content",
    status,
  });
}
