import { z } from "@hono/zod-openapi";
import type { Hono } from "hono";
import { replayPayload } from "../../src/replay/replay-payload.ts";
import { EVAL_CASE_ORIGINS, type EvalCase } from "../../src/runs/eval-case.ts";
import { label, reportedId } from "../../src/runs/run.ts";
import { requireEveryRow } from "../auth.ts";
import { callerOf } from "../caller.ts";
import type { AppEnv } from "../context.ts";
import { type HttpFault, notFound } from "../fault.ts";
import { readJsonBody } from "../limits.ts";
import { actorOf, prefixedId } from "./control.ts";
import { isoOf, isoOrNull, next, pageOf, pageQuery, parseBody, parseQuery } from "./listing.ts";
import { statusOf } from "./runs.ts";

const MOST_LISTED = 200;

export const evalCaseRequest = z
  .strictObject({
    id: reportedId.optional().describe("Yours; sent again, it changes nothing. Absent = one is made."),
    task: label.describe("Name of the route to test."),
    input: replayPayload,
    expected: z.unknown().describe("Any JSON value."),
    corrected: z.boolean().default(false).describe("A person put the output right."),
    origin: z.enum(EVAL_CASE_ORIGINS).default("manual"),
    ...{ artifact: reportedId.optional(), run: reportedId.optional() },
  })
  .refine((body) => Object.hasOwn(body, "expected"), { path: ["expected"], message: "say what is expected" })
  .openapi("EvalCaseRequest");

export const evalCase = z
  .object({
    ...{ id: z.string(), task: z.string() },
    input: replayPayload,
    expected: z.unknown(),
    corrected: z.boolean(),
    origin: z.enum(EVAL_CASE_ORIGINS),
    ...{ artifact: z.string().nullable(), run: z.string().nullable() },
    created_at: z.iso.datetime(),
    archived_at: z.iso.datetime().nullable(),
  })
  .openapi("EvalCase");

export const evalCaseList = z.object({ eval_cases: z.array(evalCase), next }).openapi("EvalCaseList");

export const evalCaseQuery = z.strictObject({
  task: label.optional(),
  archived: z
    .enum(["true", "false"])
    .transform((said) => said === "true")
    .optional()
    .describe("true = archived ones too."),
  ...pageQuery(MOST_LISTED),
});

/** `/v1/eval-cases`: goldens for bake-offs. Archived ones are kept and no longer drawn. */
export function evalCases(app: Hono<AppEnv>): void {
  app.post("/v1/eval-cases", async (c) => {
    const { runtime, principal } = callerOf(c, "ingest");
    requireEveryRow(principal, "eval cases");
    const body = parseBody(evalCaseRequest, await readJsonBody(c.req.raw, runtime.config.limits));
    const made = { ...body, id: body.id ?? prefixedId("case"), createdAt: runtime.now() };
    const store = runtime.store().forOrg(principal.org).evalCases;
    const status = await store.insert(made, actorOf(runtime, principal));
    const kept = status === "stored" ? made : await store.get(made.id);
    return c.json(evalCaseJson(kept ?? made), statusOf(status));
  });

  app.get("/v1/eval-cases", async (c) => {
    const { runtime, principal } = callerOf(c, "read");
    requireEveryRow(principal, "eval cases");
    const { after, limit, ...rest } = parseQuery(evalCaseQuery, c.req.url);
    const from = after && { createdAt: after.at, id: after.id };
    const store = runtime.store().forOrg(principal.org).evalCases;
    const found = await store.list({ ...rest, after: from, limit: limit + 1 });
    const { shown, next: following } = pageOf(found, limit, ({ createdAt }) => createdAt);
    const answer = { eval_cases: shown.map(evalCaseJson), next: following };
    return c.json(answer satisfies z.output<typeof evalCaseList>);
  });

  app.get("/v1/eval-cases/:id", async (c) => {
    const { runtime, principal } = callerOf(c, "read");
    requireEveryRow(principal, "eval cases");
    const found = await runtime.store().forOrg(principal.org).evalCases.get(c.req.param("id"));
    if (!found) throw noCase();
    return c.json(evalCaseJson(found));
  });

  app.delete("/v1/eval-cases/:id", async (c) => {
    const { runtime, principal } = callerOf(c, "ingest");
    requireEveryRow(principal, "eval cases");
    const store = runtime.store().forOrg(principal.org).evalCases;
    const id = c.req.param("id");
    const archived = (await store.archive(id, actorOf(runtime, principal))) ? await store.get(id) : undefined;
    if (!archived) throw noCase();
    return c.json(evalCaseJson(archived));
  });
}

export function evalCaseJson(one: EvalCase): z.output<typeof evalCase> {
  return {
    id: one.id,
    task: one.task,
    input: one.input as z.output<typeof replayPayload>,
    expected: one.expected,
    corrected: one.corrected,
    origin: one.origin,
    artifact: one.artifact ?? null,
    run: one.run ?? null,
    created_at: isoOf(one.createdAt),
    archived_at: isoOrNull(one.archivedAt),
  };
}

function noCase(): HttpFault {
  return notFound("no such eval case", "eval_case_not_found", "id");
}
