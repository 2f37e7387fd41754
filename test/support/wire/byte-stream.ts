/** Bodies of answers, cut where a test wants them cut. */

/** One chunk per piece, handed out as the reader asks. */
export function bodyOf(pieces: readonly (string | Uint8Array)[]): ReadableStream<Uint8Array> {
  const bytes = pieces.map((piece) => (typeof piece === "string" ? new TextEncoder().encode(piece) : piece));
  let next = 0;
  return new ReadableStream(
    {
      pull(controller) {
        const piece = bytes[next];
        next += 1;
        if (piece === undefined) controller.close();
        else controller.enqueue(piece);
      },
    },
    { highWaterMark: 0 },
  );
}

export function bytesOf(text: string): ReadableStream<Uint8Array> {
  return bodyOf(Array.from(new TextEncoder().encode(text), (byte) => Uint8Array.of(byte)));
}

/** `text` cut before each of the byte offsets. */
export function cutAt(text: string, offsets: readonly number[]): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  const edges = [...new Set(offsets.map((offset) => offset % (bytes.length + 1)))].sort((a, b) => a - b);
  const starts = [0, ...edges];
  return bodyOf(starts.map((start, index) => bytes.subarray(start, starts[index + 1] ?? bytes.length)));
}
