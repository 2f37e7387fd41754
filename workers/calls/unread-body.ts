import type { UnreadStream } from "../../src/call/call.ts";
import type { ErrorDetails, StreamEncoder } from "../../src/wire/dialect.ts";

export interface UnreadBodyOptions {
  readonly encoder: Pick<StreamEncoder, "fail">;
  /** Asked for once, after an error came. */
  readonly errorDetails: () => Promise<ErrorDetails>;
  /** Keeps the request open until the work is done. */
  readonly background: (work: Promise<unknown>) => void;
}

/** The runtime's own pipe, whose bytes never enter JavaScript. Declared here, because Node's types lack it. */
declare const IdentityTransformStream: new () => {
  readonly readable: ReadableStream<Uint8Array>;
  readonly writable: WritableStream<Uint8Array>;
};

const utf8 = new TextEncoder();

/**
 * The upstream's bytes, piped by the runtime without a step of ours per piece. A stream that fails ends in an error event
 * of the client's dialect, as one that is read does.
 */
export function unreadBody(stream: UnreadStream, options: UnreadBodyOptions): ReadableStream<Uint8Array> {
  const { readable, writable } = new IdentityTransformStream();
  options.background(passed(stream, writable, options).catch(() => stream.cancel()));
  return readable;
}

/** Rejects where the client has gone. */
async function passed(
  stream: UnreadStream,
  writable: WritableStream<Uint8Array>,
  { encoder, errorDetails }: UnreadBodyOptions,
): Promise<void> {
  const over = new AbortController();
  const followed = stream.follow(over.signal);
  try {
    await written(writable, stream.begun);
    await stream.rest.pipeTo(writable, { preventClose: true, preventAbort: true });
  } catch {
    // Either side broke. A blank line means nothing in a stream, and only a client that is there takes it.
    await written(writable, [utf8.encode("\n\n")]);
  } finally {
    over.abort();
  }
  const failure = await followed;
  // The bytes before may end within an event, which a blank line closes.
  const end = failure ? [utf8.encode(`\n\n${encoder.fail(failure, await errorDetails())}`)] : [];
  await written(writable, end);
  await writable.close();
}

async function written(writable: WritableStream<Uint8Array>, pieces: readonly Uint8Array[]): Promise<void> {
  const writer = writable.getWriter();
  try {
    for (const piece of pieces) await writer.write(piece);
  } finally {
    writer.releaseLock();
  }
}
