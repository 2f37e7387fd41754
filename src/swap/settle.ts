/** Compares what was promised with what the gateway serves: the only way in which a swap comes to serve or is abandoned. */
import { servedDigest } from "../bakeoff/evidence/served-payload.ts";
import type { Actor } from "../proposal/file.ts";
import type { NarrowedRoute } from "../route/narrow.ts";
import type { SwapStore } from "./ports.ts";

/** An approved change that nobody deployed for so long is given up: its evidence is as old. */
const UNSEEN_MS = 30 * 86_400_000;

/**
 * Marks approved swaps that are served by now, and abandons those unseen for 30 days; returns how many changed.
 * `servedAs` gives what a route serves to a call that names no variant, undefined where there is no such route.
 */
export async function settleSwaps(
  store: Pick<SwapStore, "awaited" | "change">,
  servedAs: (route: string) => Promise<NarrowedRoute | undefined>,
  actor: Actor,
): Promise<number> {
  let changed = 0;
  for (const { id, route, promised, approved_at: approvedAt } of await store.awaited()) {
    const served = promised && (await servedAs(route));
    const serves = served && (await servedDigest(served)) === promised?.serves;
    const event = serves ? "serve" : actor.at - Date.parse(approvedAt) >= UNSEEN_MS ? "abandon" : undefined;
    if (event && (await store.change(id, event, actor))) changed += 1;
  }
  return changed;
}
