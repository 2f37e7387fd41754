import { z } from "@hono/zod-openapi";
import type { Hono } from "hono";
import { fromRow, REGISTRY_SCHEMA, registryDocument, toRow } from "../../src/registry/record.ts";
import { callerOf } from "../caller.ts";
import type { AppEnv } from "../context.ts";
import { readJsonBody } from "../limits.ts";
import { actorOf } from "./control.ts";
import { parseBody } from "./listing.ts";

export const registryRecorded = z.object({ recorded: z.int() }).openapi("RegistryRecorded");

/** `/v1/registry`: what probes measured of models, newest of each. */
export function registry(app: Hono<AppEnv>): void {
  app.get("/v1/registry", async (c) => {
    const { runtime, principal } = callerOf(c, "read");
    const rows = await runtime.store().forOrg(principal.org).capabilities.newest();
    return c.json({ schema: REGISTRY_SCHEMA, capabilities: rows.map(toRow) } satisfies z.input<
      typeof registryDocument
    >);
  });

  // What is recorded here decides how calls are asked and which references are chosen.
  app.post("/v1/registry", async (c) => {
    const { runtime, principal } = callerOf(c, "admin");
    const { capabilities } = parseBody(registryDocument, await readJsonBody(c.req.raw, runtime.config.limits));
    const rows = capabilities.map(fromRow);
    await runtime.store().forOrg(principal.org).capabilities.add(rows, actorOf(runtime, principal));
    return c.json({ recorded: rows.length } satisfies z.output<typeof registryRecorded>, 201);
  });
}
