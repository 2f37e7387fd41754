/**
 * An attempt whose answer streams. Opening frames without content are held back, so that after an early error, silence
 * or a cut another candidate can serve without the client noticing. From its first content on, the stream stays with
 * its candidate.
 */
import { type Failure, failure } from "../failure/failure.ts";
import type { Exposure } from "../money/exposure.ts";
import type { Usage } from "../money/usage.ts";
import type { ChatAnswer, FinishReason } from "../wire/chat.ts";
import type { SseEvent, StreamDecoder } from "../wire/dialect.ts";
import { type BodyInTransit, type SseReader, sseReader } from "../wire/sse.ts";
import { failureIn, isContent, type StreamEvent, type WireFrame } from "../wire/stream-event.ts";
import { unansweredEnd } from "./answer-attempt.ts";
import { answerIn, jsonBeside, unexpectedBody } from "./answer-body.ts";
import { AnswerAssembler, answerToFrames } from "./assemble.ts";
import { type AttemptPlan, type CallState, closeAttempt, isAttempt, type OpenAttempt, openAttempt } from "./attempt.ts";
import type { OutputRule } from "./call.ts";
import type { Attempt } from "./inference.ts";
import { refusalFailure } from "./output.ts";
import { type ReadFor, whyRead } from "./pass-unread.ts";
import { Pace } from "./time/pace.ts";
import { Watchdog } from "./time/watchdog.ts";
import { networkFailure, send, upstreamRequest } from "./upstream.ts";

/** Milliseconds that a finished answer may take to report usage and end before the gateway closes its connection. */
const END_GRACE_MS = 2_000;

/** Most characters of events for an answer that is held whole; the same limit as for an answer that is not streamed. */
const MAX_HELD_LENGTH = 32 * 1024 * 1024;

/** A stream that has begun: `held` contains the frames up to and including the first content. */
export interface BegunStream {
  readonly source: FrameSource;
  readonly held: WireFrame[];
  /** The stream ended before any content; `held` contains all of it. */
  readonly ended: boolean;
  /** Why every event must be read on its way to the client; undefined where the bytes may pass as they are. */
  readonly readFor: ReadFor | undefined;
}

/**
 * Sends the request and reads until the first content. Without content the attempt either failed or ended as an empty
 * answer.
 */
export async function beginStream(
  plan: AttemptPlan,
  call: CallState,
  rule: OutputRule | undefined,
): Promise<BegunStream | Attempt> {
  const watchdog = new Watchdog(call.ports.clock, call.input.signal);
  const open = await openAttempt(plan, call, watchdog);
  if (isAttempt(open)) {
    watchdog.stop();
    return open;
  }
  const { timeouts } = call.input.policy;
  watchdog.limit("first_token", open.startedAt + (timeouts.firstTokenMs ?? defaultFirstTokenMs(plan)));
  watchdog.limit("attempt", open.startedAt + timeouts.attemptMs);
  watchdog.limit("call", call.deadline);

  const request = upstreamRequest(plan.exchange, open.encoded, open.body, watchdog.signal);
  open.sent = true;
  const sent = await send(request, plan.exchange, watchdog, call.ports);
  if (!sent.ok) return closeAttempt(open, unansweredEnd(sent.error, call.ports.clock.now() - open.startedAt));
  if (sent.value.body === null) {
    const empty = unexpectedBody(sent.value.status, "");
    return closeAttempt(open, { failure: empty, status: sent.value.status, exposure: { type: "lost" } });
  }

  const pace = new Pace(watchdog);
  const readFor = whyRead(plan, call.input, rule);
  const source = new FrameSource(
    open,
    sseReader(sent.value.body, {
      mayGoOn: async (bytes) => (await pace.took(bytes)) === undefined,
      keepsPieces: readFor === undefined,
    }),
    plan.exchange.dialect.streamDecoder(plan.exchange.target),
    sent.value.status,
  );
  const held: WireFrame[] = [];
  for (let begun = false; !begun; ) {
    const frames = await source.next();
    if (frames === undefined) return { source, held, ended: true, readFor };
    for (const frame of frames) {
      const broken = begun ? undefined : failureIn(frame);
      if (broken) return source.close(broken);
      held.push(frame);
      begun ||= frame.events.some(isContent);
    }
  }
  watchdog.lift("first_token", "attempt", "call");
  watchdog.limit("stream", open.startedAt + timeouts.streamMs);
  source.watchIdle(timeouts.idleMs);
  return { source, held, ended: false, readFor };
}

/** Milliseconds to the first content; reasoning models think before they write. */
function defaultFirstTokenMs(plan: AttemptPlan): number {
  const effort = plan.request.reasoning?.effort;
  return effort === undefined || effort === "none" || effort === "minimal" || effort === "low" ? 10_000 : 60_000;
}

/** Reads frames from an upstream, counts their content, and closes the attempt once. */
class FrameSource {
  readonly open: OpenAttempt;
  readonly #reader: SseReader;
  readonly #decoder: StreamDecoder;
  readonly #status: number;
  #assembler: AnswerAssembler | undefined;
  #usage: Usage | undefined;
  #servedTier: string | undefined;
  #finish: FinishReason | undefined;
  #firstByteMs: number | undefined;
  /** Undefined after content whose tokens cannot be estimated from its bytes. */
  #streamedBytes: number | undefined = 0;
  /** True when an event came before the one that ended the stream. */
  #begun = false;
  /** True when usage came with or after the last finish, or with an error: it is the bill, however the stream ends. */
  #usageIsFinal = false;
  #heldLength = 0;
  #saidRefusal = false;
  /** True after text, a tool call or media: content beside the refusal. */
  #saidMore = false;
  #unfinished: number;
  #idleMs: number | undefined;
  /** Milliseconds of silence still allowed, counted only while waiting for the upstream and not for a slow reader. */
  #patienceMs: number | undefined;
  #over = false;
  /** True when the protocol's own end has arrived. */
  #ended = false;
  /** True when the body is not a stream. */
  #cameWhole = false;
  #closed: Attempt | undefined;

  constructor(open: OpenAttempt, reader: SseReader, decoder: StreamDecoder, status: number) {
    this.open = open;
    this.#reader = reader;
    this.#decoder = decoder;
    this.#status = status;
    this.#unfinished = open.plan.request.choices ?? 1;
    open.watchdog.signal.addEventListener("abort", () => void reader.cancel(), { once: true });
  }

  /** Also builds the whole answer from here on. Call it before the first `next`, or with the frames already read. */
  assemble(seen: readonly WireFrame[]): AnswerAssembler {
    const assembler = new AnswerAssembler();
    for (const frame of seen) for (const event of frame.events) assembler.add(event);
    this.#assembler = assembler;
    return assembler;
  }

  /** Later frames are read from a copy, for the record only. */
  handOver(pause: () => Promise<void>): BodyInTransit {
    return this.#reader.handOver(pause);
  }

  watchIdle(idleMs: number): void {
    this.#idleMs = idleMs;
    this.#touch();
  }

  /** True once the held answer exceeds the limit of a whole answer. */
  #isTooLarge(events: readonly SseEvent[]): boolean {
    if (!this.#assembler) return false;
    for (const { data } of events) this.#heldLength += data.length;
    return this.#heldLength > MAX_HELD_LENGTH;
  }

  /**
   * Returns the next frames, as many as arrived together; one with an `error` event is the last; undefined after the
   * end. Never rejects.
   */
  async next(): Promise<readonly WireFrame[] | undefined> {
    if (this.#over) return undefined;
    const read = await this.#read();
    if ("failure" in read) return [this.#noted({ events: [{ type: "error", failure: read.failure }] })];
    if (read.events.length === 0) return [this.#noted(this.#decoder.finish())];
    if (this.#isTooLarge(read.events)) {
      const large = failure("network", `the streamed answer is larger than ${MAX_HELD_LENGTH} characters`, {
        reason: "malformed_response",
      });
      return [this.#noted({ events: [{ type: "error", failure: large }] })];
    }
    const [first] = read.events;
    if (first?.body) return this.#whole(first.data);
    const frames: WireFrame[] = [];
    for (const event of read.events) {
      frames.push(this.#noted(this.#decoder.decode(event)));
      if (this.#over) break;
    }
    return frames;
  }

  /** Reads a body that is not a stream: a whole answer, an error, or a page. */
  #whole(body: string): readonly WireFrame[] {
    const { exchange } = this.open.plan;
    this.#cameWhole = true;
    const answer = answerIn(body, this.#status, exchange);
    if (answer.ok) return answerToFrames(answer.value).map((frame) => this.#noted(frame));
    const usage = exchange.dialect.usageOf(jsonBeside(body), exchange.target);
    const before: StreamEvent[] = usage ? [{ type: "usage", usage }] : [];
    return [this.#noted({ events: [...before, { type: "error", failure: answer.error }] })];
  }

  /** Ends the attempt, with its failure if there is one. Later calls return the first record. */
  close(reason: Failure | undefined): Attempt {
    if (this.#closed) return this.#closed;
    this.#over = true;
    // After a clean end the rest of the body (usually nothing) is read, so that the connection can be used again.
    if (reason) void this.#reader.cancel();
    else void this.#reader.drain();
    this.#closed = closeAttempt(this.open, {
      failure: reason,
      status: this.#status,
      firstByteMs: this.#firstByteMs,
      finish: this.#finish,
      servedTier: this.#servedTier,
      exposure: this.#exposure(reason),
    });
    return this.#closed;
  }

  /** Returns the failure of a stream whose answer, or the rest of it, the provider withheld. */
  refusal(): Failure | undefined {
    const refused = this.#finish?.unified === "content-filter" || (this.#saidRefusal && !this.#saidMore);
    return refused ? refusalFailure(this.#finish) : undefined;
  }

  /** Stops the upstream at once, because the consumer has gone. */
  abandon(): void {
    this.open.watchdog.abandon();
  }

  #exposure(reason: Failure | undefined): Exposure {
    const usage = this.#usage;
    const whole = this.#unfinished <= 0 && (reason === undefined || this.#usageIsFinal);
    // A body that is not a stream is complete, so its reported usage is the bill.
    if (this.#cameWhole && usage)
      return { type: "answered", usage, hasContent: reason === undefined || isBroken(reason) };
    // The provider reported an error and, with it, what it bills.
    if (reason && !isBroken(reason) && this.#usageIsFinal) {
      return { type: "answered", usage, hasContent: this.#streamedBytes !== 0 };
    }
    if (whole || this.#ended) return { type: "answered", usage, hasContent: this.#streamedBytes !== 0 };
    // An error inside HTTP 200 instead of a stream is an error answer.
    if (reason && !isBroken(reason) && !this.#begun) return { type: "refused", usage };
    const { plan, body, watchdog } = this.open;
    const left = watchdog.cause !== undefined && watchdog.cause !== "end";
    if (left && plan.exchange.provider.stopsBillingOnDisconnect !== undefined && this.#streamedBytes !== undefined) {
      return { type: "stopped", usage, requestBytes: body.length, streamedBytes: this.#streamedBytes };
    }
    return { type: "lost", usage };
  }

  /** No events = the body has ended. */
  async #read(): Promise<{ readonly events: readonly SseEvent[] } | { readonly failure: Failure }> {
    const { watchdog } = this.open;
    const { clock } = this.open.call.ports;
    const limit = this.#unfinished > 0 ? "idle" : "end";
    const askedAt = clock.now();
    if (this.#patienceMs !== undefined) watchdog.limit(limit, askedAt + this.#patienceMs);
    try {
      const events = await this.#reader.read();
      const stopped = watchdog.failure();
      return stopped ? { failure: stopped } : { events };
    } catch (error) {
      const stopped = watchdog.failure();
      // The end of a whole answer's connection changes nothing.
      if (!stopped && this.#unfinished <= 0) return { events: [] };
      return { failure: stopped ?? networkFailure(error, "reset") };
    } finally {
      watchdog.lift(limit);
      if (this.#patienceMs !== undefined) this.#patienceMs -= clock.now() - askedAt;
    }
  }

  #noted(frame: WireFrame): WireFrame {
    for (const event of frame.events) this.#note(event);
    // Within a frame, usage may come before its finish.
    const last = this.#unfinished <= 0 || failureIn(frame) !== undefined;
    if (last && frame.events.some(({ type }) => type === "usage")) this.#usageIsFinal = true;
    this.#begun ||= frame.events.some(({ type }) => type !== "error");
    return frame;
  }

  #note(event: StreamEvent): void {
    this.#assembler?.add(event);
    switch (event.type) {
      case "usage":
        this.#usage = event.usage;
        this.#servedTier = event.servedTier ?? this.#servedTier;
        return;
      case "finish":
        if (event.choice === 0) this.#finish = event.finish;
        this.#unfinished -= 1;
        if (this.#unfinished === 0) this.#awaitEnd();
        return;
      case "error":
        this.#over = true;
        return;
      case "end":
        this.#over = true;
        this.#ended = true;
        return;
      default:
        if (isContent(event)) this.#content(event);
    }
  }

  #content(event: StreamEvent): void {
    if (event.type === "refusal-delta") this.#saidRefusal = true;
    else if (event.type !== "reasoning-delta") this.#saidMore = true;
    this.#firstByteMs ??= this.open.call.ports.clock.now() - this.open.startedAt;
    if (event.type === "opaque-delta") this.#streamedBytes = undefined;
    else if (this.#streamedBytes !== undefined) this.#streamedBytes += contentLength(event);
    this.#touch();
  }

  #touch(): void {
    if (this.#unfinished > 0) this.#patienceMs = this.#idleMs;
  }

  /** The answer is complete; some upstreams then send no end and keep the connection open. */
  #awaitEnd(): void {
    this.open.watchdog.lift("first_token", "attempt", "call");
    this.#patienceMs = END_GRACE_MS;
  }
}

function contentLength(event: StreamEvent): number {
  if ("text" in event) return event.text.length;
  return event.type === "tool-call-delta" ? event.arguments.length : 0;
}

function isBroken(reason: Failure): boolean {
  return reason.class === "network" || reason.class === "canceled" || reason.class === "content_invalid";
}

/** Reads a stream that has begun to its end and holds all of it: nothing is served before it is whole. */
export async function collectStream(
  begun: BegunStream,
): Promise<{ readonly answer: ChatAnswer; readonly frames: WireFrame[] } | Attempt> {
  const assembler = begun.source.assemble(begun.held);
  const frames: WireFrame[] = [];
  for (let next: readonly WireFrame[] | undefined = begun.held; next; next = await begun.source.next()) {
    for (const frame of next) {
      const broken = failureIn(frame);
      if (broken) return begun.source.close(broken);
      frames.push(frame);
    }
  }
  return { answer: assembler.answer(), frames };
}
