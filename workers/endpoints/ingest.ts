import { z } from "@hono/zod-openapi";
import type { Hono } from "hono";
import { writtenTags } from "../../src/identity/authorize.ts";
import { type IngestItem, ITEM_STATUSES, ingestItem, ingestRequest, MOST_ITEMS } from "../../src/runs/ingest.ts";
import { ingestBatch } from "../../src/runs/ingest-batch.ts";
import { callerOf } from "../caller.ts";
import type { AppEnv } from "../context.ts";
import { badRequest } from "../fault.ts";
import { readJsonBody } from "../limits.ts";

/** For the document: the handler judges the items one by one. */
export const ingestBody = ingestRequest
  .extend({ items: z.array(ingestItem as z.ZodType<IngestItem>).max(MOST_ITEMS) })
  .openapi("IngestBatch");

export const ingestAnswer = z
  .object({
    accepted: z.int().describe("Items that are in the database now, those that were there before included."),
    items: z
      .array(
        z.object({
          index: z.int().describe("Position in the batch."),
          status: z.enum(ITEM_STATUSES),
          code: z.string().optional(),
          message: z.string().optional(),
        }),
      )
      .describe("Items that this batch did not store, in their order. Every other one was stored by it."),
  })
  .openapi("IngestAnswer");

/** `POST /v1/ingest`: what the SDK buffered. 200 also where items are refused; anything else = send the whole batch again. */
export function ingest(app: Hono<AppEnv>): void {
  app.post("/v1/ingest", async (c) => {
    const { runtime, principal } = callerOf(c, "ingest");
    const body = ingestRequest.safeParse(await readJsonBody(c.req.raw, runtime.config.limits));
    if (!body.success) {
      throw badRequest(
        `a batch is { schema, items } with at most ${MOST_ITEMS} items`,
        "invalid_body",
        body.error.issues[0]?.path.join(".") || undefined,
      );
    }
    const { org, keyId, rowScope } = principal;
    const store = runtime.store();
    const results = await ingestBatch(
      body.data.items,
      { org, keyId, fixedTags: writtenTags(principal), rows: rowScope },
      { ...store.forOrg(org), telemetry: store.telemetry },
      runtime.now(),
    );
    return c.json({
      accepted: results.filter(({ status }) => status === "stored" || status === "duplicate").length,
      items: results.filter(({ status }) => status !== "stored"),
    } satisfies z.output<typeof ingestAnswer>);
  });
}
