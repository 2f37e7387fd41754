import type { Hono } from "hono";
import { etag } from "hono/etag";
import { CONTRACT } from "../../../src/api/contract.ts";
import { openapiDocument } from "../../../src/api/openapi.ts";
import type { AppEnv } from "../../context.ts";

/** `GET /openapi.json`, without a key. Built on the first request: few isolates are ever asked for it. */
export function mountOpenapi(app: Hono<AppEnv>): void {
  let text: string | undefined;
  app.get("/openapi.json", etag(), (c) => {
    text ??= JSON.stringify(openapiDocument(CONTRACT));
    return c.body(text, 200, { "content-type": "application/json", "cache-control": "no-cache" });
  });
}
