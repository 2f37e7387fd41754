/** Calls to objects that may be slow, restarting or unreachable. */

/** Settles as `work` does, or rejects after `ms`. `work` itself continues; its later result is ignored. */
export async function withDeadline<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const expiry = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work, expiry]);
  } finally {
    clearTimeout(timer);
  }
}

/** Tries again after each of `delays` (ms) until `attempt` succeeds; rejects with the last error. */
export async function retrying<T>(delays: readonly number[], attempt: () => Promise<T>): Promise<T> {
  for (const delay of delays) {
    try {
      return await attempt();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, delay));
    }
  }
  return attempt();
}
