import { setTimeout as pause } from "node:timers/promises";
import { z } from "zod";
import type { CompiledBundle } from "../../config/config.ts";
import type { WorkerSecrets } from "./secrets.ts";

const drainAnswer = z.object({ in_flight: z.number(), queued: z.number() });

/** Where the Worker of `modelrig dev` listens, and the token that lets `dev` direct it. */
export interface WorkerAddress {
  readonly url: string;
  readonly token: string;
}

/**
 * Asks the Worker to refuse new calls, and waits until the ones in flight are over and their telemetry is stored, or
 * until `patienceMs` has passed. Returns what was still open then.
 */
export async function drain(worker: WorkerAddress, patienceMs: number): Promise<z.output<typeof drainAnswer>> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const left = drainAnswer.parse(await direct(worker, "/dev/drain"));
    if ((left.in_flight === 0 && left.queued === 0) || Date.now() >= deadline) return left;
    await pause(25);
  }
}

/** Makes later calls use these routes and this configuration; calls in flight end on what they began with. */
export async function serveCompiled(
  worker: WorkerAddress,
  compiled: CompiledBundle,
  secrets: WorkerSecrets["values"],
): Promise<void> {
  await direct(worker, "/dev/reload", { compiled, secrets });
}

async function direct({ url, token }: WorkerAddress, path: string, body?: unknown): Promise<unknown> {
  const response = await fetch(`${url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const answer: unknown = await response.json();
  if (response.ok) return answer;
  throw new Error(`the Worker answered ${path} with ${response.status}: ${JSON.stringify(answer)}`);
}
