import { clock } from "../workspace/engine-host.ts";

/** What `work` comes to, or `late` after `ms`. The timer keeps the process alive no longer than that. */
export async function within<T>(work: Promise<T>, ms: number): Promise<T | "late"> {
  const over = new AbortController();
  try {
    return await Promise.race([work, clock.sleep(Math.max(0, ms), over.signal).then(() => "late" as const)]);
  } finally {
    over.abort();
  }
}
