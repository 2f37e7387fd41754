/**
 * Error bodies of every upstream, whatever dialect it claims: proxies answer for each other, and one OpenAI-compatible
 * endpoint sends Google's shape, another FastAPI's, a third a bare string. Read here once; judged in `failure/classify.ts`.
 */
import type { ProviderError } from "../failure/provider-error.ts";
import { parsedJson } from "../json/parsed.ts";
import { arrayAt, isRecord, type JsonRecord, recordAt, stringAt } from "../json/record.ts";
import type { SseEvent, WireTarget } from "./dialect.ts";
import { rpcDetails, rpcRetryMs } from "./google-rpc-details.ts";
import { retryAfterMs } from "./retry-after.ts";

type Target = Pick<WireTarget, "provider">;
type ErrorFields = Omit<ProviderError, "provider" | "status">;

/** An answer with an error status. `now` is epoch milliseconds. */
export function decodeError(
  status: number,
  headers: Headers,
  bodyText: string,
  { provider }: Target,
  now: number,
): ProviderError {
  const fields = fieldsOf(parsedJson(bodyText)) ?? { message: pageMessage(bodyText, provider, status) };
  // Only these say "later"; OpenAI sends its rate-limit headers with every answer.
  const waits = status === 429 || status === 408 || status >= 498;
  const wait = waits ? (retryAfterMs(headers, now) ?? fields.retryAfterMs) : undefined;
  const final = headers.get("x-should-retry")?.trim().toLowerCase() === "false";
  return { ...fields, provider, status, retryAfterMs: wait, ...(final ? { final } : {}) };
}

/** An error that came inside a 200: a body, a stream event, or the failed response in one. */
export function decodeErrorObject(value: unknown, { provider }: Target): ProviderError {
  return { ...(fieldsOf(value) ?? { message: "" }), provider, status: 200 };
}

/** Reads an `error` event of a stream whose data is plain text; undefined for any other event. */
export function textErrorEvent({ event, data }: SseEvent, target: Target): ProviderError | undefined {
  const plain = event === "error" && typeof parsedJson(data) !== "object";
  return plain ? decodeErrorObject(data, target) : undefined;
}

function fieldsOf(value: unknown): ErrorFields | undefined {
  if (typeof value === "string") return { message: value };
  // Gemini's OpenAI-compatible endpoint wraps its error in an array.
  if (Array.isArray(value)) return fieldsOf(value[0]);
  if (!isRecord(value)) return undefined;
  const nested = value["error"] ?? arrayAt(value, "errors")?.[0] ?? recordAt(arrayAt(value, "choices")?.[0], "error");
  // xAI: `{ code, error: "text" }`; Ollama: `{ error: "text" }`.
  if (typeof nested === "string") return { ...flatFields(value), message: nested };
  if (isRecord(nested)) return wrapped(nested);
  return flatFields(value);
}

/** OpenRouter puts the answer of the provider behind it into `metadata`. */
function wrapped(error: JsonRecord): ErrorFields {
  const own = flatFields(error);
  const metadata = recordAt(error, "metadata");
  if (!metadata) return own;
  const raw = stringAt(metadata, "raw");
  const upstream = raw === undefined ? undefined : (fieldsOf(parsedJson(raw)) ?? { message: raw });
  const moderated = arrayAt(metadata, "reasons")?.filter((reason) => typeof reason === "string") ?? [];
  return {
    ...own,
    message: upstream?.message || own.message,
    type: upstream?.code ?? upstream?.type ?? own.type ?? stringAt(metadata, "error_type"),
    param: upstream?.param ?? own.param,
    details: [
      ...(own.details ?? []),
      ...(upstream?.details ?? []),
      ...moderated.map((reason) => `moderation:${reason}`),
    ],
  };
}

function flatFields(error: JsonRecord): ErrorFields {
  const faults = validationFaults(error);
  const details = [...rpcDetails(error), ...faults.map((fault) => `type:${fault.type}`), ...named(error)];
  const type = stringAt(error, "type");
  return {
    code: word(error["code"]),
    // The event and envelope type "error" carries no information about the error itself.
    type: (type === "error" ? undefined : type) || stringAt(error, "status") || stringAt(error, "error_type"),
    message:
      faults.length > 0
        ? faults.map((fault) => `${fault.where}: ${fault.what}`).join("; ")
        : (stringAt(error, "message") ?? stringAt(error, "detail") ?? ""),
    param: stringAt(error, "param") ?? faults[0]?.where,
    retryAfterMs: rpcRetryMs(error),
    ...(details.length > 0 ? { details } : {}),
  };
}

/** Azure's `innererror.code`, Anthropic's `details.error_code`. */
function named(error: JsonRecord): string[] {
  const inner = stringAt(recordAt(error, "innererror"), "code");
  const detail = stringAt(recordAt(error, "details"), "error_code");
  return [...(inner ? [`innererror:${inner}`] : []), ...(detail ? [`error_code:${detail}`] : [])];
}

interface ValidationFault {
  readonly type: string;
  readonly where: string;
  readonly what: string;
}

/** FastAPI's list of faults, bare (`detail`) or inside `message` (Mistral). What the client sent is left out. */
function validationFaults(error: JsonRecord): readonly ValidationFault[] {
  const list = arrayAt(error, "detail") ?? arrayAt(recordAt(error, "message"), "detail") ?? [];
  return list.filter(isRecord).map((fault) => ({
    type: stringAt(fault, "type") ?? "invalid",
    where: (arrayAt(fault, "loc") ?? []).filter((step) => step !== "body").join("."),
    what: stringAt(fault, "msg") ?? "invalid",
  }));
}

function word(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** A body that is not JSON: the title of an HTML page, else its text. */
function pageMessage(bodyText: string, provider: string, status: number): string {
  const text = bodyText.trim();
  if (text === "") return `${provider} answered ${status} with an empty body`;
  if (!/^<(?:!doctype|html|\?xml)/i.test(text)) return text;
  const title = /<title[^>]*>([^<]{1,200})/i.exec(text)?.[1]?.trim();
  return `${provider} answered ${status} with a web page${title ? `: ${title}` : ""}`;
}
