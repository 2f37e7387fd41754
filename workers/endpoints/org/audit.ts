import type { Hono } from "hono";
import { listAudit } from "../../../src/api/org.ts";
import type { AppEnv } from "../../context.ts";
import { mount } from "../mount.ts";
import { pageOf } from "../page.ts";
import { isoOf } from "../wording.ts";

/** `GET /v1/audit`: who changed what, newest first. */
export function mountAudit(app: Hono<AppEnv>): void {
  mount(app, listAudit).with(async ({ runtime, principal, query: { after, limit } }) => {
    const found = await runtime
      .store()
      .forOrg(principal.org)
      .audit.page({ after, limit: limit + 1 });
    const { shown, next } = pageOf(found, limit, ({ at }) => at);
    const entries = shown.map(({ id, at, by, action, subject, detail }) => ({
      ...{ id: String(id), at: isoOf(at), by, action, subject },
      detail: detail ?? null,
    }));
    return { status: 200, body: { entries, next } };
  });
}
