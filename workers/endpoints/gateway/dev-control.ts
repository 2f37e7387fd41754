import type { Context, Hono } from "hono";
import { replaceCompiled, runtimeOf } from "../../compose.ts";
import type { AppEnv } from "../../context.ts";
import { notFound } from "../../http/fault.ts";
import { settleAllSwaps } from "../../isolate/served-swaps.ts";
import { logError } from "../../log.ts";
import type { Replacement } from "../../replacement.ts";

/** What `modelrig dev` asks of the Worker that it runs. Exists only with the token that `dev` made up. */
export function mountDevControl(app: Hono<AppEnv>): void {
  /** New calls are refused from now on; answers how many are in flight and how much telemetry is not yet stored. */
  app.post("/dev/drain", (c) => {
    requireDev(c);
    const { activity } = c.var.runtime;
    activity.draining = true;
    return c.json({ in_flight: activity.inFlight, queued: activity.queued });
  });
  /** Later calls are served by these routes; calls in flight end on those they began with. Swaps may serve by it. */
  app.post("/dev/reload", async (c) => {
    requireDev(c);
    replaceCompiled(await c.req.json<Replacement>());
    const background = (work: Promise<unknown>): void => c.executionCtx.waitUntil(work);
    const settling = settleAllSwaps(runtimeOf(c.env), background);
    background(settling.catch((error: unknown) => logError("swaps not compared with what is served", error)));
    return c.json({});
  });
}

function requireDev(c: Context<AppEnv>): void {
  const { devToken } = c.var.runtime;
  if (devToken === undefined || c.req.header("authorization") !== `Bearer ${devToken}`) {
    throw notFound("no such endpoint", "not_found");
  }
}
