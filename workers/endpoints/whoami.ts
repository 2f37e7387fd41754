import { z } from "@hono/zod-openapi";
import type { Hono } from "hono";
import type { AppEnv } from "../context.ts";

export const whoamiAnswer = z
  .object({
    org: z.object({ id: z.string(), slug: z.string() }),
    key: z.object({
      id: z.string(),
      scopes: z.array(z.string()),
      routes: z.array(z.string()).optional().describe("Routes and lanes the key may call; absent = all."),
      expires_at: z.string().optional(),
    }),
    time: z.iso.datetime().describe("The gateway's clock."),
  })
  .openapi("Whoami");

/** `GET /v1/whoami`: any valid key may ask whose it is. */
export function whoami(app: Hono<AppEnv>): void {
  app.get("/v1/whoami", (c) => {
    const { principal, runtime } = c.var;
    const { expiresAt, routes } = principal;
    return c.json({
      org: { id: principal.org, slug: principal.orgSlug },
      key: {
        id: principal.keyId,
        scopes: [...principal.scopes],
        ...(routes && { routes: [...routes] }),
        ...(expiresAt !== undefined && { expires_at: new Date(expiresAt).toISOString() }),
      },
      time: new Date(runtime.now()).toISOString(),
    } satisfies z.output<typeof whoamiAnswer>);
  });
}
