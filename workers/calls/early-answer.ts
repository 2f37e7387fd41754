/** A streamed answer that opens before its first content: what stands in front of the gateway may cut a silent line. */
import type { CallResult, FrameStream } from "../../src/call/call.ts";
import type { IngressDialect, StreamEncoder } from "../../src/wire/dialect.ts";
import { EVENT_STREAM, errorDetails, type StreamOptions, servedContext } from "./answer.ts";
import { StreamNotes, sseBody } from "./sse-body.ts";

/**
 * The call's own answer where it comes within `keepAliveMs`, as it always does where that is 0. After that much silence
 * the status is 200 and comments follow until content comes; a failure is then an error event, and what the call's
 * headers would have said is not known yet.
 */
export async function orEarly(
  call: Promise<CallResult>,
  respond: (result: CallResult) => Response | Promise<Response>,
  ingress: IngressDialect,
  options: StreamOptions,
): Promise<Response> {
  if (options.keepAliveMs <= 0) return await respond(await call);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, options.keepAliveMs, undefined);
  });
  const result = await Promise.race([call, silence]);
  clearTimeout(timer);
  return result ? await respond(result) : earlyResponse(call, ingress, options);
}

function earlyResponse(call: Promise<CallResult>, ingress: IngressDialect, options: StreamOptions): Response {
  const notes = new StreamNotes();
  let encoder: StreamEncoder | undefined;
  const opened = call.then((result): FrameStream => {
    const streamed = result.type === "stream";
    const id = streamed ? result.head.inferenceId : result.inference.id;
    const model = streamed ? result.head.served.model : "";
    encoder = ingress.streamEncoder(servedContext(id, model, options, notes.add));
    return streamed ? result.frames : onlyFailure(result);
  });
  const details = async () => {
    const result = await call;
    return errorDetails(result.type === "stream" ? await result.done : result.inference);
  };
  const frames: FrameStream = {
    read: async () => (await opened).read(),
    // A call that has not begun to stream is stopped by the request's own signal.
    cancel: () => void opened.then((stream) => stream.cancel()).catch(() => undefined),
  };
  const lazily: StreamEncoder = {
    encode: (frame) => encoder?.encode(frame) ?? "",
    fail: (failure, errorDetails) => encoder?.fail(failure, errorDetails) ?? "",
    heldEnd: () => encoder?.heldEnd?.(),
  };
  const { keepAliveMs, keep } = options;
  return new Response(sseBody(frames, lazily, { errorDetails: details, keepAliveMs, notes, keep }), {
    headers: EVENT_STREAM,
  });
}

function onlyFailure(result: Exclude<CallResult, { type: "stream" }>): FrameStream {
  if (result.type === "answer") throw new Error("a streamed call was answered whole");
  let told = false;
  return {
    async read() {
      if (told) return undefined;
      told = true;
      return [{ events: [{ type: "error", failure: result.failure }] }];
    },
    cancel() {
      told = true;
    },
  };
}
