/** A response whose body passes through; bytes, pace and cancellation stay the caller's. */

interface BodyListener {
  bytes(chunk: Uint8Array): void;
  ended(): void;
  /** The connection broke, or the caller's signal ended it. */
  broke(cause: unknown): void;
  /** The caller stopped reading. */
  left(): void;
}

/** Nothing is read before the caller reads. The listener must not throw. */
export function tappedResponse(response: Response, body: ReadableStream<Uint8Array>, listener: BodyListener): Response {
  const reader = body.getReader();
  const passing = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) {
            listener.ended();
            controller.close();
          } else {
            listener.bytes(value);
            controller.enqueue(value);
          }
        } catch (cause) {
          listener.broke(cause);
          controller.error(cause);
        }
      },
      async cancel(reason) {
        listener.left();
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  const { status, statusText, headers, url, redirected, type } = response;
  const tapped = new Response(passing, { status, statusText, headers });
  // What a constructed response cannot be told, but the caller may read.
  for (const [name, value] of Object.entries({ url, redirected, type })) Object.defineProperty(tapped, name, { value });
  return tapped;
}
