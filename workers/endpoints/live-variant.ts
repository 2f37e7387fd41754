import { z } from "@hono/zod-openapi";
import type { Hono } from "hono";
import { DEFAULT_VARIANT, variantNames } from "../../src/route/narrow.ts";
import { callerOf } from "../caller.ts";
import { modelNotFound, requireReach } from "../calls.ts";
import type { AppEnv } from "../context.ts";

export const liveVariant = z
  .object({
    route: z.string(),
    /** Variant that a call without one is served by; `default` is the route as declared. */
    variant: z.string(),
    /** The pin behind it, and the version of the bundle it is laid over. */
    pin: z.object({ version: z.number().int(), since: z.iso.datetime() }).nullable(),
    route_hash: z.string(),
  })
  .openapi("LiveVariant");

/** `GET /v1/routes/:name/live`: what a bake-off measures its challengers against. */
export function routeLive(app: Hono<AppEnv>): void {
  app.get("/v1/routes/:name/live", async (c) => {
    const { runtime, principal } = callerOf(c, "read");
    const name = c.req.param("name");
    requireReach(principal, name);
    const route = runtime.routes.get(name);
    if (!route) throw modelNotFound(`no route is named ${name}`);
    const pins = await runtime.store().forOrg(principal.org).routePins.current();
    const pinned = pins.find((pin) => pin.route === name);
    // A pin to a variant that a later deploy removed serves the route as declared.
    const pin = pinned && variantNames(route).includes(pinned.variant) ? pinned : undefined;
    return c.json({
      route: name,
      variant: pin?.variant ?? DEFAULT_VARIANT,
      pin: pin ? { version: pin.version, since: new Date(pin.at).toISOString() } : null,
      route_hash: route.hash,
    } satisfies z.output<typeof liveVariant>);
  });
}
