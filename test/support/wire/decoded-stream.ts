/** Runs a body through the event reader and a dialect's decoder, as the engine does. */
import { AnswerAssembler } from "../../../src/call/assemble.ts";
import type { Failure } from "../../../src/failure/failure.ts";
import type { ChatAnswer } from "../../../src/wire/chat.ts";
import type { StreamDecoder } from "../../../src/wire/dialect.ts";
import { sseEvents } from "../../../src/wire/sse.ts";
import type { StreamEvent, WireFrame } from "../../../src/wire/stream-event.ts";

export interface DecodedStream {
  readonly frames: readonly WireFrame[];
  readonly events: readonly StreamEvent[];
  readonly answer: ChatAnswer;
  readonly failure: Failure | undefined;
  /** The stream said or implied that it is complete. */
  readonly ended: boolean;
}

export async function decodeStream(body: ReadableStream<Uint8Array>, decoder: StreamDecoder): Promise<DecodedStream> {
  const frames: WireFrame[] = [];
  for await (const event of sseEvents(body)) frames.push(decoder.decode(event));
  frames.push(decoder.finish());
  const events = frames.flatMap((frame) => frame.events);
  const assembler = new AnswerAssembler();
  for (const event of events) assembler.add(event);
  const error = events.find((event) => event.type === "error");
  return {
    frames,
    events,
    answer: assembler.answer(),
    failure: error?.failure,
    ended: events.some((event) => event.type === "end"),
  };
}
