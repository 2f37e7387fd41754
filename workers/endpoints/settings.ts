import { z } from "@hono/zod-openapi";
import type { Hono } from "hono";
import { LARGEST_ARTIFACT } from "../../src/runs/artifact.ts";
import { CUSTODIES, type OrgSettings } from "../../src/runs/custody.ts";
import { callerOf } from "../caller.ts";
import type { AppEnv } from "../context.ts";
import { readJsonBody } from "../limits.ts";
import { actorOf } from "./control.ts";
import { parseBody } from "./listing.ts";

const LONGEST_RETENTION_DAYS = 36_500;

/** All of it in a body too: a setting left out would otherwise fall back to its default without a word. */
export const settings = z
  .strictObject({
    custody: z
      .enum(CUSTODIES)
      .describe("`hash`: no content of an artifact is kept. `content`: it is, up to the limit."),
    artifact_max_bytes: z.int().min(1).max(LARGEST_ARTIFACT).describe("Larger content is not kept, only its hash."),
    retention_days: z
      .int()
      .min(1)
      .max(LONGEST_RETENTION_DAYS)
      .nullable()
      .describe("Days raw telemetry is kept; null = for ever. Hourly sums stay."),
  })
  .openapi("Settings");

/** `/v1/settings`: what the org decided about its own data. */
export function orgSettings(app: Hono<AppEnv>): void {
  app.get("/v1/settings", async (c) => {
    const { runtime, principal } = callerOf(c, "read");
    return c.json(settingsJson(await runtime.store().forOrg(principal.org).settings.get()));
  });

  app.put("/v1/settings", async (c) => {
    const { runtime, principal } = callerOf(c, "admin");
    const body = parseBody(settings, await readJsonBody(c.req.raw, runtime.config.limits));
    const chosen: OrgSettings = {
      custody: body.custody,
      artifactMaxBytes: body.artifact_max_bytes,
      retentionDays: body.retention_days ?? undefined,
    };
    await runtime.store().forOrg(principal.org).settings.put(chosen, actorOf(runtime, principal));
    return c.json(settingsJson(chosen));
  });
}

function settingsJson({ custody, artifactMaxBytes, retentionDays }: OrgSettings): z.output<typeof settings> {
  return { custody, artifact_max_bytes: artifactMaxBytes, retention_days: retentionDays ?? null };
}
