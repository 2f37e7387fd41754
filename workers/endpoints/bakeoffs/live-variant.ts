import type { Hono } from "hono";
import { getLiveVariant } from "../../../src/api/proposals.ts";
import { DEFAULT_VARIANT, variantNames } from "../../../src/route/narrow.ts";
import { modelNotFound } from "../../calls/call-access.ts";
import type { AppEnv } from "../../context.ts";
import { mount } from "../mount.ts";
import { isoOf } from "../wording.ts";

/** `GET /v1/routes/:name/live`: what a bake-off measures its challengers against. */
export function mountRouteLive(app: Hono<AppEnv>): void {
  mount(app, getLiveVariant).with(async ({ runtime, principal, params: { name } }) => {
    const route = runtime.routes.get(name);
    if (!route) throw modelNotFound(`no route is named ${name}`);
    const pins = await runtime.store().forOrg(principal.org).routePins.current();
    const pinned = pins.find((pin) => pin.route === name);
    // A pin to a variant that a later deploy removed serves the route as declared.
    const pin = pinned && variantNames(route).includes(pinned.variant) ? pinned : undefined;
    const body = {
      route: name,
      variant: pin?.variant ?? DEFAULT_VARIANT,
      pin: pin ? { version: pin.version, since: isoOf(pin.at) } : null,
      route_hash: route.hash,
    };
    return { status: 200, body };
  });
}
