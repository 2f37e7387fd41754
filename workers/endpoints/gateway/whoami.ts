import type { Hono } from "hono";
import { whoami as endpoint } from "../../../src/api/gateway.ts";
import type { AppEnv } from "../../context.ts";
import { mount } from "../mount.ts";
import { isoOf } from "../wording.ts";

/** `GET /v1/whoami`: any valid key may ask whose it is. */
export function mountWhoami(app: Hono<AppEnv>): void {
  mount(app, endpoint).with(({ principal, runtime }) => {
    const { expiresAt, routes } = principal;
    const key = {
      id: principal.keyId,
      scopes: [...principal.scopes],
      ...(routes && { routes: [...routes] }),
      ...(expiresAt !== undefined && { expires_at: isoOf(expiresAt) }),
    };
    const { org: id, orgSlug: slug, orgName: name } = principal;
    const org = { id, slug, ...(name !== undefined && { name }) };
    return { status: 200, body: { org, key, time: isoOf(runtime.now()) } };
  });
}
