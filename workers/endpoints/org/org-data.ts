import type { Hono } from "hono";
import { eraseData, exportData } from "../../../src/api/org.ts";
import type { ExportPage, OrgData } from "../../../src/store/orgs/org-data.ts";
import type { AppEnv } from "../../context.ts";
import { badRequest } from "../../http/fault.ts";
import { logError } from "../../log.ts";
import { actorOf } from "../actor.ts";
import { mount } from "../mount.ts";
import { isoOf } from "../wording.ts";

const EXPORT_SCHEMA = "modelrig.export/1";
/** Well within what a Worker's request may take; the rest is for the next one. */
const ERASE_FOR_MS = 20_000;

/** `GET /v1/export` and `DELETE /v1/data`: everything an org has, taken out or deleted. */
export function mountOrgData(app: Hono<AppEnv>): void {
  mount(app, exportData).with(async ({ runtime, principal, query }) => {
    const { data } = runtime.store().forOrg(principal.org);
    // Asked for before the answer begins, so that a database that is away or a bad cursor is a status.
    const first = await data.page(query.after);
    if (!first) throw badRequest("`after` is not the end of a page of an export", "invalid_query", "after");
    const head = {
      ...{ type: "export", schema: EXPORT_SCHEMA, at: isoOf(runtime.now()) },
      org: { id: principal.org, slug: principal.orgSlug },
    };
    const headers = { "content-type": "application/jsonl; charset=utf-8", "cache-control": "no-store" };
    return { response: new Response(exportLines(data, head, first), { headers }) };
  });

  mount(app, eraseData).with(async (request) => {
    const { runtime, principal, query } = request;
    const { confirm, before } = query;
    if (confirm !== principal.orgSlug) {
      throw badRequest(
        `to delete the data of ${principal.orgSlug}, say so: ?confirm=<slug>`,
        "not_confirmed",
        "confirm",
      );
    }
    const until = runtime.now() + ERASE_FOR_MS;
    const { data } = runtime.store().forOrg(principal.org);
    return { status: 200, body: await data.erase(before, actorOf(request), () => runtime.now() < until) };
  });
}

/** JSON Lines, a page of one table at a time, read as fast as they are taken. The last line is `{"type":"end"}`. */
function exportLines(data: OrgData, head: Readonly<Record<string, unknown>>, first: ExportPage): ReadableStream {
  const encoder = new TextEncoder();
  let page: ExportPage | undefined = first;
  let pending = `${JSON.stringify(head)}\n`;
  return new ReadableStream({
    async pull(controller) {
      try {
        if (!page) return controller.close();
        controller.enqueue(encoder.encode(pending + linesOf(page)));
        pending = "";
        page = page.next === undefined ? undefined : await data.page(page.next);
      } catch (error) {
        logError("export broke off", error);
        controller.error(error);
      }
    },
  });
}

function linesOf({ table, rows, next }: ExportPage): string {
  const lines: object[] = rows.map((row) => ({ type: "row", table, row }));
  lines.push(next === undefined ? { type: "end" } : { type: "page", after: next });
  return `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`;
}
