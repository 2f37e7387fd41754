import { z } from "@hono/zod-openapi";
import type { Hono } from "hono";
import type { ExportPage, OrgData } from "../../src/store/orgs/org-data.ts";
import { callerOf } from "../caller.ts";
import type { AppEnv } from "../context.ts";
import { badRequest } from "../fault.ts";
import { logError } from "../log.ts";
import { actorOf } from "./control.ts";

export const EXPORT_SCHEMA = "modelrig.export/1";
/** Well within what a Worker's request may take; the rest is for the next one. */
const ERASE_FOR_MS = 20_000;

export const exportQuery = z.strictObject({
  after: z.string().min(1).max(4_000).optional().describe("`after` of the last `page` line that arrived whole."),
});

export const eraseQuery = z.strictObject({
  confirm: z.string().describe("The org's slug."),
  before: z.iso
    .datetime({ offset: true })
    .optional()
    .describe("Only what is older, by the full hour: history, not settings, pins or measured capabilities."),
});

export const eraseAnswer = z
  .object({
    deleted: z.record(z.string(), z.int()).describe("Rows per table that lost any."),
    done: z.boolean().describe("False = there is more; ask again."),
  })
  .openapi("EraseAnswer");

/** `GET /v1/export` and `DELETE /v1/data`: everything an org has, taken out or deleted. */
export function orgData(app: Hono<AppEnv>): void {
  app.get("/v1/export", async (c) => {
    const { runtime, principal } = callerOf(c, "admin");
    const query = exportQuery.safeParse(c.req.query());
    if (!query.success) throw badRequest("export takes `after` alone", "invalid_query");
    const { data } = runtime.store().forOrg(principal.org);
    // Asked for before the answer begins, so that a database that is away or a bad cursor is a status.
    const first = await data.page(query.data.after);
    if (!first) throw badRequest("`after` is not the end of a page of an export", "invalid_query", "after");
    const head = {
      ...{ type: "export", schema: EXPORT_SCHEMA, at: new Date(runtime.now()).toISOString() },
      org: { id: principal.org, slug: principal.orgSlug },
    };
    return new Response(exportLines(data, head, first), {
      headers: { "content-type": "application/jsonl; charset=utf-8", "cache-control": "no-store" },
    });
  });

  app.delete("/v1/data", async (c) => {
    const { runtime, principal } = callerOf(c, "admin");
    const query = eraseQuery.safeParse(c.req.query());
    if (!query.success) {
      throw badRequest("deletion takes `confirm` and `before`", "invalid_query", query.error.issues[0]?.path.join("."));
    }
    const { confirm, before } = query.data;
    if (confirm !== principal.orgSlug) {
      throw badRequest(
        `to delete the data of ${principal.orgSlug}, say so: ?confirm=<slug>`,
        "not_confirmed",
        "confirm",
      );
    }
    const until = runtime.now() + ERASE_FOR_MS;
    const erased = await runtime
      .store()
      .forOrg(principal.org)
      .data.erase(
        before === undefined ? undefined : Date.parse(before),
        actorOf(runtime, principal),
        () => runtime.now() < until,
      );
    return c.json(erased satisfies z.output<typeof eraseAnswer>);
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
