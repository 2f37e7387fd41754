import type { Hono } from "hono";
import type { AppEnv } from "../../context.ts";

/** `GET /health`, without a key: the Worker runs and its bundle loads. Says nothing about providers or the database. */
export function mountHealth(app: Hono<AppEnv>): void {
  app.get("/health", (c) => {
    const { activity, routes } = c.var.runtime;
    const status = activity.draining ? "draining" : "ok";
    return c.json({ status, routes: routes.size }, activity.draining ? 503 : 200);
  });
}
