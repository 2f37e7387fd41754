import type { Hono } from "hono";
import { getRegistry, recordCapabilities } from "../../../src/api/org.ts";
import { fromRow, REGISTRY_SCHEMA, toRow } from "../../../src/registry/record.ts";
import type { AppEnv } from "../../context.ts";
import { actorOf } from "../actor.ts";
import { mount } from "../mount.ts";

/** `/v1/registry`: what probes measured of models, newest of each. */
export function mountRegistry(app: Hono<AppEnv>): void {
  mount(app, getRegistry).with(async ({ runtime, principal }) => {
    const rows = await runtime.store().forOrg(principal.org).capabilities.newest();
    return { status: 200, body: { schema: REGISTRY_SCHEMA, capabilities: rows.map(toRow) } };
  });

  mount(app, recordCapabilities).with(async (request) => {
    const { runtime, principal, body } = request;
    const rows = body.capabilities.map(fromRow);
    await runtime.store().forOrg(principal.org).capabilities.add(rows, actorOf(request));
    return { status: 201, body: { recorded: rows.length } };
  });
}
