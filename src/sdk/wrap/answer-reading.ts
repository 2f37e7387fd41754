/** Reads an answer that passes by on its way to the caller. */
import { answerIn } from "../../call/answer-body.ts";
import { AnswerAssembler } from "../../call/assemble.ts";
import { classify } from "../../failure/classify.ts";
import type { Failure } from "../../failure/failure.ts";
import { parsedJson } from "../../json/parsed.ts";
import type { Usage } from "../../money/usage.ts";
import { answerText, type ChatAnswer } from "../../wire/chat.ts";
import type { UpstreamDialect, WireTarget } from "../../wire/dialect.ts";
import { embeddingUsage } from "../../wire/embedding.ts";
import { sseFeed } from "../../wire/sse.ts";
import { isContent, type StreamEvent } from "../../wire/stream-event.ts";

interface AnswerFigures {
  readonly model?: string | undefined;
  readonly usage?: Usage | undefined;
  readonly servedTier?: string | undefined;
  readonly finishReason?: string | undefined;
  readonly failure?: Failure | undefined;
  readonly answered?: string | undefined;
}

export interface AnswerReading {
  take(bytes: Uint8Array): void;
  /** The protocol has said that the answer is whole; what comes after adds nothing. */
  isWhole(): boolean;
  /** `broken` where the body ended before its end. */
  figures(broken: Failure | undefined): AnswerFigures;
}

interface Spoken {
  readonly dialect: UpstreamDialect;
  readonly target: WireTarget;
  readonly embeds: boolean;
  readonly keepsText: boolean;
}

/** The events of a stream. Its text is held only where it is to be kept. */
export function streamReading({ dialect, target, keepsText }: Spoken): AnswerReading {
  const decoder = dialect.streamDecoder(target);
  const answer = new AnswerAssembler();
  let failed: Failure | undefined;
  let whole = false;
  const note = (events: readonly StreamEvent[]): void => {
    for (const event of events) {
      if (event.type === "error") failed ??= event.failure;
      else if (event.type === "end") whole = true;
      else if (keepsText || !isContent(event)) answer.add(event);
    }
  };
  const events = sseFeed((event) => note(decoder.decode(event).events));
  return {
    take: (bytes) => events.feed(bytes),
    isWhole: () => whole,
    figures(broken) {
      if (!broken && !whole) {
        events.end();
        note(decoder.finish().events);
      }
      return { ...figuresOf(answer.answer(), keepsText), failure: failed ?? broken };
    },
  };
}

/** A body that comes as a whole: an answer, or the provider's error. */
export function bodyReading(spoken: Spoken, { status, headers }: Response, now: () => number): AnswerReading {
  const decoder = new TextDecoder();
  let text = "";
  return {
    take(bytes) {
      text += decoder.decode(bytes, { stream: true });
    },
    isWhole: () => false,
    figures(broken) {
      const { dialect, target } = spoken;
      text += decoder.decode();
      // Clients that try again leave the body of the error unread: its status says enough.
      if (status >= 400) return { failure: classify(dialect.decodeError(status, headers, text, target, now())) };
      if (broken) return { failure: broken, usage: dialect.usageOf(parsedJson(text), target) };
      return spoken.embeds ? embedded(parsedJson(text), spoken) : answered(text, status, spoken);
    },
  };
}

function answered(text: string, status: number, spoken: Spoken): AnswerFigures {
  const answer = answerIn(text, status, spoken);
  if (answer.ok) return figuresOf(answer.value, spoken.keepsText);
  return { failure: answer.error, usage: spoken.dialect.usageOf(parsedJson(text), spoken.target) };
}

function embedded(body: unknown, { dialect, target }: Spoken): AnswerFigures {
  const usage = dialect.usageOf(body, target);
  const input = usage?.input.total;
  return { usage: input === undefined ? undefined : embeddingUsage(input, usage?.raw) };
}

function figuresOf({ model, usage, servedTier, choices }: ChatAnswer, keepsText: boolean): AnswerFigures {
  const [choice] = choices;
  return {
    ...{ model, usage, servedTier },
    finishReason: choice?.finish.raw ?? choice?.finish.unified,
    answered: keepsText && choice ? answerText(choice) : undefined,
  };
}
