/** More than any request that is worth an answer. */
const MOST_BYTES = 256 * 1024 * 1024;

/**
 * Reads what a refusal left of a request's body. workerd resets a connection whose request it has not read to its end, and
 * the client, which is still sending, never sees the answer. Only for `modelrig dev`: Cloudflare does this itself.
 */
export async function discardBody({ body }: Request): Promise<void> {
  if (body === null || body.locked) return;
  const reader = body.getReader();
  try {
    for (let bytes = 0; bytes < MOST_BYTES; ) {
      const { done, value } = await reader.read();
      if (done) return;
      bytes += value.byteLength;
    }
  } catch {
    // The client left, or the body was read by other means: there is nothing to discard.
  } finally {
    reader.releaseLock();
  }
}
