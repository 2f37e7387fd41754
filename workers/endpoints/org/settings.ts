import type { Hono } from "hono";
import { getSettings, putSettings, type SettingsJson } from "../../../src/api/org.ts";
import type { OrgSettings } from "../../../src/runs/custody.ts";
import type { AppEnv } from "../../context.ts";
import { actorOf } from "../actor.ts";
import { mount } from "../mount.ts";

/** `/v1/settings`: what the org decided about its own data. */
export function mountOrgSettings(app: Hono<AppEnv>): void {
  mount(app, getSettings).with(async ({ runtime, principal }) => {
    return { status: 200, body: settingsJson(await runtime.store().forOrg(principal.org).settings.get()) };
  });

  mount(app, putSettings).with(async (request) => {
    const { runtime, principal, body } = request;
    const chosen: OrgSettings = {
      custody: body.custody,
      artifactMaxBytes: body.artifact_max_bytes,
      retentionDays: body.retention_days ?? undefined,
    };
    await runtime.store().forOrg(principal.org).settings.put(chosen, actorOf(request));
    return { status: 200, body: settingsJson(chosen) };
  });
}

function settingsJson({ custody, artifactMaxBytes, retentionDays }: OrgSettings): SettingsJson {
  return { custody, artifact_max_bytes: artifactMaxBytes, retention_days: retentionDays ?? null };
}
