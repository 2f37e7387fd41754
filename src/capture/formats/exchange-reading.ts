/** What every format shares: a request and an answer as providers exchange them, times, tags. */
import { classify } from "../../failure/classify.ts";
import { parseExact } from "../../json/exact-numbers.ts";
import { isRecord, type JsonRecord, recordAt, stringAt } from "../../json/record.ts";
import { ID_PATTERN } from "../../route/identifier.ts";
import { openaiChatIngress } from "../../wire/openai-chat/index.ts";
import { chatOutput } from "../answer-text.ts";
import { type ChatBody, chatBody, NOT_AN_INPUT } from "../exchange.ts";
import { type ImportedCall, type ImportReading, refusedEntry } from "./imported-call.ts";

interface ToolExchange {
  /** Path of the API, such as `/v1/messages`; `undefined` = told from the body. */
  readonly path?: string | undefined;
  readonly request: JsonRecord;
  /** The answer's body as the provider sent it; `undefined` = unknown. */
  readonly answer?: unknown;
  /** Output where there is no answer's body. */
  readonly output?: string | undefined;
  /** What the provider refused it with. */
  readonly error?: UpstreamError | undefined;
  readonly at?: unknown;
  readonly provider?: string | undefined;
  readonly tags?: Readonly<Record<string, unknown>>;
}

interface UpstreamError {
  readonly status?: number | undefined;
  readonly code?: string | undefined;
  readonly message: string;
}

/** Turns an exchange into a call, or says why it cannot be replayed. */
export function readExchange(exchange: ToolExchange): ImportReading {
  const body = chatBody(exchange.path ?? pathOf(exchange), exchange.request);
  if (typeof body === "string") return refusedEntry(body);
  const sendable = openaiChatIngress.decodeRequest({ model: "unknown", ...body.request });
  if (!sendable.ok) return refusedEntry(sendable.error.message);
  const ended = endOf(exchange);
  if (typeof ended === "string") return refusedEntry(ended);
  return {
    type: "call",
    call: {
      payload: { kind: "messages", request: body.request },
      ...ended,
      at: timeOf(exchange.at),
      served: servedBy(exchange.provider, body),
      tags: { ...textTags(exchange.request["metadata"]), ...userTag(exchange.request), ...textTags(exchange.tags) },
    },
  };
}

function endOf({ answer, output, error }: ToolExchange): Pick<ImportedCall, "output" | "outcome"> | string {
  if (error) {
    const { status = 500, code, message } = error;
    const outcome = classify({ provider: "import", status, code, message }).class;
    return NOT_AN_INPUT.has(outcome)
      ? `the call failed for the caller's own fault: ${message}`
      : { output: undefined, outcome };
  }
  if (answer === undefined || answer === null) return { output, outcome: "answered" };
  const read = chatOutput(answer);
  return read ?? "the answer is no chat completion, response or message";
}

/** The Messages API is told by its answer or by what only its requests have, the Responses API by its `input`. */
function pathOf({ request, answer }: ToolExchange): string {
  if (stringAt(answer, "type") === "message" || request["system"] !== undefined || "anthropic_version" in request) {
    return "/v1/messages";
  }
  return request["messages"] === undefined && request["input"] !== undefined ? "/v1/responses" : "/v1/chat/completions";
}

function servedBy(provider: string | undefined, { model }: ChatBody): string | undefined {
  if (model === undefined) return undefined;
  const served = provider === undefined || model.startsWith(`${provider}/`) ? model : `${provider}/${model}`;
  return served.includes("/") && ID_PATTERN.test(served) ? served : undefined;
}

/** Seconds or milliseconds since 1970, or a date as text, in UTC where it names no zone. */
export function timeOf(value: unknown): number | undefined {
  if (typeof value === "number" && value > 0) return Math.round(value < 1e11 ? value * 1_000 : value);
  if (typeof value !== "string") return undefined;
  const text = /^\d{4}-\d{2}-\d{2}[ T][\d:.]+$/.test(value) ? `${value.replace(" ", "T")}Z` : value;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : at;
}

const LONGEST_TAG = 256;

export function textTags(value: unknown): Record<string, string> {
  if (!isRecord(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter(
      (entry): entry is [string, string] =>
        typeof entry[1] === "string" && entry[1] !== "" && entry[1].length <= LONGEST_TAG,
    ),
  );
}

function userTag(request: JsonRecord): Record<string, string> {
  return textTags({ user: request["user"] ?? recordAt(request, "metadata")?.["user_id"] });
}

/** JSON that a tool stored as text; any other text and any other value stay. */
export function unwrapped(value: unknown): unknown {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return value;
  try {
    return parseExact(value);
  } catch {
    return value;
  }
}

const PARAMETERS = [
  ...["temperature", "top_p", "top_k", "max_tokens", "max_completion_tokens", "stop", "seed", "tools", "tool_choice"],
  ...[
    "parallel_tool_calls",
    "response_format",
    "reasoning_effort",
    "frequency_penalty",
    "presence_penalty",
    "logit_bias",
  ],
];

/** The parameters of a request among what a tool noted beside it. */
export function requestParameters(value: unknown): JsonRecord {
  if (!isRecord(value)) return {};
  const kept = Object.entries(value).filter(([name, one]) => PARAMETERS.includes(name) && one !== null && one !== "");
  return Object.fromEntries(kept);
}

/** The HTTP status that an error's text names. */
export function statusIn(text: string | undefined): number | undefined {
  const status = /\b[45]\d\d\b/.exec(text ?? "")?.[0];
  return status === undefined ? undefined : Number(status);
}
