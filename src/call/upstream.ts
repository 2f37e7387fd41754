/** One HTTP exchange with a provider: address, key, send, and read within bounds. */
import { classify } from "../failure/classify.ts";
import { type Failure, failure, type Result } from "../failure/failure.ts";
import { isRecord } from "../json/record.ts";
import type { Exposure } from "../money/exposure.ts";
import { providerHeaders } from "../provider/headers.ts";
import type { ProviderSpec } from "../provider/provider.ts";
import type { EncodedRequest, UpstreamDialect, WireTarget } from "../wire/dialect.ts";
import { jsonBeside, jsonIn } from "./answer-body.ts";
import type { CallPorts } from "./ports.ts";
import { Pace } from "./time/pace.ts";
import type { Watchdog } from "./time/watchdog.ts";

/** Largest answer that is read whole, in bytes. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
/** Bytes of an error page that are read: its first part names the fault. */
const MAX_ERROR_BYTES = 64 * 1024;

const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

export interface Exchange {
  readonly provider: ProviderSpec;
  readonly dialect: UpstreamDialect;
  readonly target: WireTarget;
  readonly apiKey: string | undefined;
}

/** Arguments of `fetch`. A `Request` object would double the cost of encoding a short body. */
interface UpstreamRequest {
  readonly url: string;
  readonly init: RequestInit;
}

export function upstreamRequest(
  exchange: Exchange,
  encoded: EncodedRequest,
  body: string,
  signal: AbortSignal,
): UpstreamRequest {
  const { provider, target, apiKey } = exchange;
  const headers = providerHeaders({ quirks: target.quirks }, apiKey);
  headers["content-type"] = "application/json";
  for (const [name, value] of Object.entries(encoded.headers)) headers[name.toLowerCase()] = value;
  for (const [name, value] of Object.entries(headers)) {
    // `fetch` would reject with the same error as for a broken connection, although nothing has been sent yet.
    if (!HEADER_VALUE.test(value))
      throw new TypeError(`the header ${name} for ${provider.name} holds a character that no header may`);
  }
  const path = target.quirks.path?.replace("{model}", encodeURIComponent(target.model)) ?? encoded.path;
  // A redirect would send the prompt and the key to an undeclared address.
  return { url: provider.baseUrl + path, init: { method: "POST", headers, body, signal, redirect: "manual" } };
}

/** The result without a usable response: what failed, whether a response came, and what the provider may bill. */
export interface SendFailure {
  readonly failure: Failure;
  readonly answered: boolean;
  readonly exposure: Exposure;
}

/** Returns a response with headers, or the failure: network, timeout, cancel, or the provider's own error. */
export async function send(
  request: UpstreamRequest,
  exchange: Exchange,
  watchdog: Watchdog,
  ports: CallPorts,
): Promise<Result<Response, SendFailure>> {
  const stopped = watchdog.failure();
  if (stopped) return { ok: false, error: { failure: stopped, answered: false, exposure: { type: "unsent" } } };
  let response: Response;
  try {
    response = await ports.fetch(request.url, request.init);
  } catch (error) {
    const exposure: Exposure = { type: neverConnected(error) ? "unsent" : "lost" };
    return { ok: false, error: { failure: watchdog.failure() ?? networkFailure(error), answered: false, exposure } };
  }
  if (response.ok) return { ok: true, value: response };
  const text = await readText(response, MAX_ERROR_BYTES, watchdog, true);
  const exposure = refusedOrLost(response.status, text.ok ? text.value : "", exchange);
  if (!text.ok && watchdog.cause !== undefined)
    return { ok: false, error: { failure: text.error, answered: true, exposure } };
  const decoded = exchange.dialect.decodeError(
    response.status,
    response.headers,
    text.ok ? text.value : "",
    exchange.target,
    ports.clock.now(),
  );
  return { ok: false, error: { failure: classify(decoded), answered: true, exposure } };
}

/**
 * True where no connection was made, so that no byte of the request can have left. Node reports this by the system call
 * or the code of the cause. Runtimes with one error for refused and broken connections (workerd) return `false`.
 */
function neverConnected(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  const all: readonly unknown[] = cause instanceof AggregateError ? cause.errors : [cause];
  return all.length > 0 && all.every((one) => one instanceof Error && failsBeforeSending(one));
}

function failsBeforeSending(cause: Error): boolean {
  const syscall = "syscall" in cause ? cause.syscall : undefined;
  const code = "code" in cause && typeof cause.code === "string" ? cause.code : "";
  return syscall === "connect" || syscall === "getaddrinfo" || BEFORE_SENDING.test(code);
}

const BEFORE_SENDING =
  /^(?:UND_ERR_CONNECT_TIMEOUT|ERR_TLS_CERT_ALTNAME_INVALID|CERT_\w+|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+)$/;

/**
 * Statuses that report an answer which did not arrive although it may exist: the provider's own time limit (408), a
 * connection that was given up (499), and what servers in front of a provider say.
 */
const LOST_BEHIND: ReadonlySet<number> = new Set([408, 499, 504, 520, 522, 524]);
/** Statuses that shed load or report that the provider was not reached. */
const NEVER_SERVED: ReadonlySet<number> = new Set([501, 503, 505, 521, 523, 525, 526, 529, 530]);

/** Returns what an error status means for the bill: the provider's own refusal, or an answer lost in transit. */
function refusedOrLost(status: number, text: string, { dialect, target }: Exchange): Exposure {
  const body = jsonBeside(text);
  const usage = dialect.usageOf(body, target);
  if (usage !== undefined) return { type: "refused", usage };
  if (LOST_BEHIND.has(status)) return { type: "lost" };
  if (status < 500 || NEVER_SERVED.has(status)) return { type: "refused" };
  return { type: isRecord(body) ? "refused" : "lost" };
}

/** Returns the whole body as text. `cut` keeps the first `limit` bytes; otherwise a longer body is a failure. */
async function readText(response: Response, limit: number, watchdog: Watchdog, cut = false): Promise<Result<string>> {
  if (response.body === null) return { ok: true, value: "" };
  if (declaredBytes(response.headers) <= limit) return await readWhole(response, watchdog);
  const reader = response.body.getReader();
  const onAbort = () => void reader.cancel().catch(() => undefined);
  watchdog.signal.addEventListener("abort", onAbort, { once: true });
  const decoder = new TextDecoder();
  const pace = new Pace(watchdog);
  let text = "";
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      const stopped = (await pace.took(value?.byteLength ?? 0)) ?? watchdog.failure();
      if (stopped) {
        await reader.cancel();
        return { ok: false, error: stopped };
      }
      if (done) return { ok: true, value: text + decoder.decode() };
      bytes += value.byteLength;
      text += decoder.decode(value, { stream: true });
      if (bytes <= limit) continue;
      await reader.cancel();
      if (cut) return { ok: true, value: text };
      return {
        ok: false,
        error: failure("network", `the answer is larger than ${limit} bytes`, { reason: "malformed_response" }),
      };
    }
  } catch (error) {
    return { ok: false, error: watchdog.failure() ?? networkFailure(error, "reset") };
  } finally {
    watchdog.signal.removeEventListener("abort", onAbort);
  }
}

/** NaN where the size of the decoded body is not known in advance. */
function declaredBytes(headers: Headers): number {
  return headers.has("content-encoding") ? Number.NaN : Number(headers.get("content-length") ?? Number.NaN);
}

/** The transport enforces the declared length, and reading the body whole is much cheaper than counting its pieces. */
async function readWhole(response: Response, watchdog: Watchdog): Promise<Result<string>> {
  try {
    const text = await response.text();
    const stopped = watchdog.failure();
    return stopped ? { ok: false, error: stopped } : { ok: true, value: text };
  } catch (error) {
    return { ok: false, error: watchdog.failure() ?? networkFailure(error, "reset") };
  }
}

/** Returns the body of a 2xx answer as text. */
export async function readBody(response: Response, watchdog: Watchdog): Promise<Result<string>> {
  return await readText(response, MAX_ANSWER_BYTES, watchdog);
}

/** Returns the body of a 2xx answer as JSON; anything else is a failure. */
export async function readJson(response: Response, watchdog: Watchdog): Promise<Result<unknown>> {
  const text = await readBody(response, watchdog);
  return text.ok ? jsonIn(text.value, response.status) : text;
}

/** Runtimes word connection errors differently; only people read this message. */
export function networkFailure(error: unknown, reason: "connect" | "reset" = "connect"): Failure {
  const what = reason === "connect" ? "no answer came from the upstream" : "the connection to the upstream broke";
  return failure("network", `${what}${causeOf(error)}`, { reason });
}

function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return "";
  const { cause } = error;
  const code = cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : undefined;
  return code === undefined ? "" : ` (${code})`;
}
