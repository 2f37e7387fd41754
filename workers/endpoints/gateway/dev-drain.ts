import type { Hono } from "hono";
import type { AppEnv } from "../../context.ts";
import { notFound } from "../../fault.ts";

/**
 * `POST /dev/drain`: `modelrig dev` asks before it ends. New calls are refused from now on; the answer says how many
 * are still in flight and how much telemetry is not yet stored. Exists only with the token that `dev` made up.
 */
export function devDrain(app: Hono<AppEnv>): void {
  app.post("/dev/drain", (c) => {
    const { activity, devToken } = c.var.runtime;
    if (devToken === undefined || c.req.header("authorization") !== `Bearer ${devToken}`) {
      throw notFound("no such endpoint", "not_found");
    }
    activity.draining = true;
    return c.json({ in_flight: activity.inFlight, queued: activity.queued });
  });
}
