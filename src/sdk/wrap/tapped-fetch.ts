/** Records what passes through a client's `fetch`: every request to a model, retries and failures included. */
import { networkFailure } from "../../call/upstream.ts";
import { type Failure, failure } from "../../failure/failure.ts";
import { parsedJson } from "../../json/parsed.ts";
import { booleanAt, stringAt } from "../../json/record.ts";
import { upstreamDialect } from "../../wire/dialects.ts";
import type { ClientRecorder } from "../records/client-recorder.ts";
import { reasonOf } from "../warnings.ts";
import { type AnswerReading, bodyReading, streamReading } from "./answer-reading.ts";
import { askedIn } from "./asked.ts";
import { callFailure, canceled, isAbort } from "./call-failure.ts";
import { tappedResponse } from "./tapped-response.ts";
import { hostName, providerAt, type WireAddress, wireAddress } from "./wire-address.ts";
import type { WrapOptions } from "./wrap-options.ts";

/** `fetch`, and functions of clients that begin with the same arguments. */
export type FetchLike = (input: unknown, init?: unknown, ...rest: readonly unknown[]) => Promise<unknown>;

/** What it answers and throws is what `send` does; a response of a model is the same bytes, seen as they are read. */
export function tappedFetch(send: FetchLike, recorder: ClientRecorder, options: WrapOptions): FetchLike {
  return async function recordedFetch(input, init, ...rest) {
    const exchange = openExchange(input, init, recorder, options);
    if (!exchange) return await send(input, init, ...rest);
    let response: unknown;
    try {
      response = await send(input, init, ...rest);
    } catch (cause) {
      exchange.failed(cause);
      throw cause;
    }
    return exchange.answered(response);
  };
}

function openExchange(
  input: unknown,
  init: unknown,
  recorder: ClientRecorder,
  options: WrapOptions,
): Exchange | undefined {
  try {
    const address = input instanceof Request ? input.url : String(input);
    const url = URL.canParse(address) ? new URL(address) : undefined;
    const wire = url && wireAddress(url);
    if (!url || !wire) return undefined;
    const given = (init ?? {}) as { readonly body?: unknown; readonly signal?: unknown };
    return new Exchange(url, wire, given, recorder, options);
  } catch (cause) {
    recorder.warn.once("wrapped call", `a call of a wrapped client is not recorded: ${reasonOf(cause)}`);
    return undefined;
  }
}

class Exchange {
  readonly #recorder: ClientRecorder;
  readonly #keepsText: boolean;
  readonly #wire: WireAddress;
  readonly #provider: string;
  readonly #quirks: NonNullable<ReturnType<typeof providerAt>>["quirks"];
  readonly #body: string;
  readonly #signal: AbortSignal | undefined;
  readonly #startedAt: number;
  readonly #record: ReturnType<ClientRecorder["begin"]>;
  #firstByteAt: number | undefined;
  #streams = false;
  #recorded = false;

  constructor(
    url: URL,
    wire: WireAddress,
    { body, signal }: { readonly body?: unknown; readonly signal?: unknown },
    recorder: ClientRecorder,
    options: WrapOptions,
  ) {
    const row = options.provider === undefined ? providerAt(url, recorder.providers) : undefined;
    this.#recorder = recorder;
    this.#keepsText = options.artifacts === true;
    this.#wire = wire;
    this.#provider = options.provider ?? row?.name ?? hostName(url);
    this.#quirks = row?.quirks ?? {};
    this.#body = typeof body === "string" ? body : "";
    this.#signal = signal instanceof AbortSignal ? signal : undefined;
    this.#startedAt = recorder.now();
    this.#record = recorder.begin(options);
  }

  /** `fetch` threw. */
  failed(cause: unknown): void {
    this.#guarded(() => {
      const why = this.#isAborted(cause) ? canceled() : callFailure(cause, this.#provider, this.#recorder.now());
      this.#finish(undefined, why);
    });
  }

  /** The response to hand on. */
  answered(response: unknown): unknown {
    if (!(response instanceof Response)) {
      this.#guarded(() => this.#finish(undefined, undefined));
      return response;
    }
    // The gateway has recorded the call itself.
    if (response.headers.has("x-modelrig-inference-id")) return response;
    try {
      return this.#tapped(response);
    } catch (cause) {
      this.#warn(cause);
      return response;
    }
  }

  #tapped(response: Response): Response {
    const { body } = response;
    const reading = this.#reading(response);
    if (!body) {
      this.#finish(reading, undefined);
      return response;
    }
    return tappedResponse(response, body, {
      bytes: (chunk) =>
        this.#guarded(() => {
          this.#firstByteAt ??= this.#recorder.now();
          reading.take(chunk);
          if (reading.isWhole()) this.#finish(reading, undefined);
        }),
      ended: () => this.#guarded(() => this.#finish(reading, undefined)),
      broke: (cause) =>
        this.#guarded(() =>
          this.#finish(reading, this.#isAborted(cause) ? canceled() : networkFailure(cause, "reset")),
        ),
      left: () => this.#guarded(() => this.#finish(reading, canceled())),
    });
  }

  #reading(response: Response): AnswerReading {
    const { dialect, embeds } = this.#wire;
    const spoken = {
      ...{ dialect: upstreamDialect(dialect), embeds, keepsText: this.#keepsText },
      target: { provider: this.#provider, model: this.#asked().model ?? "", quirks: this.#quirks },
    };
    this.#streams = response.ok && /\bevent-stream\b/.test(response.headers.get("content-type") ?? "");
    return this.#streams ? streamReading(spoken) : bodyReading(spoken, response, this.#recorder.now);
  }

  #finish(reading: AnswerReading | undefined, broken: Failure | undefined): void {
    if (this.#recorded) return;
    this.#recorded = true;
    const endedAt = this.#recorder.now();
    const { model: served, answered, ...figures } = reading?.figures(broken) ?? { failure: broken };
    const asked = this.#asked();
    const model = this.#priced(asked.model, served);
    this.#record({
      ...figures,
      ...{ provider: this.#provider, model, stream: this.#streams || asked.stream, answered },
      ...{ startedAt: this.#startedAt, latencyMs: endedAt - this.#startedAt },
      firstByteMs: this.#firstByteAt === undefined ? undefined : this.#firstByteAt - this.#startedAt,
      asked: this.#keepsText && this.#body !== "" ? askedIn(this.#body, this.#wire.dialect, model) : undefined,
    });
  }

  #request: { readonly model: string | undefined; readonly stream: boolean } | undefined;

  #asked(): { readonly model: string | undefined; readonly stream: boolean } {
    if (!this.#request) {
      const request = this.#body === "" ? undefined : parsedJson(this.#body);
      const model = stringAt(request, "model") ?? this.#wire.model;
      this.#request = { model, stream: booleanAt(request, "stream") === true };
    }
    return this.#request;
  }

  /** The model as it was asked for; the answer's word where only that has a price (a deployment's name has none). */
  #priced(asked: string | undefined, served: string | undefined): string {
    const names = [asked, served].filter((name) => name !== undefined);
    return names.find((name) => this.#recorder.isPriced(this.#provider, name)) ?? names[0] ?? "unknown";
  }

  #isAborted(cause: unknown): boolean {
    return this.#signal?.aborted === true || isAbort(cause);
  }

  #guarded(work: () => void): void {
    try {
      work();
    } catch (cause) {
      this.#warn(cause);
      // What cannot be read is still a call that was made.
      if (!this.#recorded) this.#finish(undefined, unreadable());
    }
  }

  #warn(cause: unknown): void {
    this.#recorder.warn.once("wrapped call", `the answer of a wrapped client could not be read: ${reasonOf(cause)}`);
  }
}

function unreadable(): Failure {
  return failure("network", "the answer could not be read", { reason: "malformed_response" });
}
