import type { Hono } from "hono";
import type { AnswerOf } from "../../../src/api/endpoint.ts";
import { ingest as endpoint } from "../../../src/api/reports.ts";
import { writtenTags } from "../../../src/identity/authorize.ts";
import { ingestRequest } from "../../../src/runs/ingest.ts";
import { ingestBatch } from "../../../src/runs/ingest-batch.ts";
import type { AppEnv } from "../../context.ts";
import { mount } from "../mount.ts";

/** `POST /v1/ingest`: what the SDK buffered. 200 also where items are refused; anything else = send the whole batch again. */
export function mountIngest(app: Hono<AppEnv>): void {
  // Only the envelope is parsed before the handler: items are judged one by one.
  mount(app, { ...endpoint, body: ingestRequest }).with(async ({ runtime, principal, body }) => {
    const { org, keyId, rowScope } = principal;
    const store = runtime.store();
    const results = await ingestBatch(
      body.items,
      { org, keyId, fixedTags: writtenTags(principal), rows: rowScope },
      { ...store.forOrg(org), telemetry: store.telemetry },
      runtime.now(),
    );
    const answer: AnswerOf<typeof endpoint> = {
      accepted: results.filter(({ status }) => status === "stored" || status === "duplicate").length,
      items: results.filter(({ status }) => status !== "stored"),
    };
    return { status: 200, body: answer };
  });
}
