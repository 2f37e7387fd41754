import { setTimeout as pause } from "node:timers/promises";
import { z } from "zod";

const drainAnswer = z.object({ in_flight: z.number(), queued: z.number() });

export type Drained = z.output<typeof drainAnswer>;

/**
 * Asks the Worker to refuse new calls, and waits until the ones in flight are over and their telemetry is stored, or
 * until `patienceMs` has passed. Answers what was still open then.
 */
export async function drain(url: string, token: string, patienceMs: number): Promise<Drained> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const response = await fetch(`${url}/dev/drain`, { method: "POST", headers: { authorization: `Bearer ${token}` } });
    const left = drainAnswer.parse(await response.json());
    if ((left.in_flight === 0 && left.queued === 0) || Date.now() >= deadline) return left;
    await pause(25);
  }
}
