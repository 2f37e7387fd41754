import { z } from "@hono/zod-openapi";
import type { Context, Hono } from "hono";
import { failure } from "../../src/failure/failure.ts";
import * as shapes from "../../src/query/answer.ts";
import { QUERY_FAULT_CODES, type QueryFault } from "../../src/query/fault.ts";
import { callerOf } from "../caller.ts";
import type { AppEnv } from "../context.ts";
import { badRequest, faultBody, HttpFault } from "../fault.ts";
import { readJsonBody } from "../limits.ts";

export const queryRequest = z
  .strictObject({ query: z.string().describe("See docs/query.md; EXPLAIN before it shows how it would be answered.") })
  .openapi("QueryRequest");

export const queryAnswer = z.union([shapes.queryAnswer, shapes.queryExplanation]).openapi("QueryAnswer");

/** What the error of a refused query says beside the usual. */
export const queryFaultDetails = z.object({
  code: z.enum(QUERY_FAULT_CODES),
  position: z.int().describe("Offset in the query, in UTF-16 units from 0"),
  length: z.int(),
  expected: z.array(z.string()),
  found: z.string(),
  hint: z.string().optional(),
});

const STATUS: Readonly<Partial<Record<QueryFault["code"], number>>> = { query_timeout: 504, query_scope: 403 };

/** `POST /v1/query`, `/query`: the key's own rows, and nothing else. */
export function query(app: Hono<AppEnv>): void {
  const handler = async (c: Context<AppEnv>): Promise<Response> => {
    const { runtime, principal } = callerOf(c, "query");
    const body = queryRequest.safeParse(await readJsonBody(c.req.raw, runtime.config.limits));
    if (!body.success) throw badRequest('the body is { "query": "SELECT …" }', "invalid_body", "query");
    const { queries } = runtime.store().forOrg(principal.org);
    const answer = await queries.ask(body.data.query, principal.rowScope, { now: runtime.now });
    return answer.ok
      ? c.json(answer.value satisfies z.output<typeof queryAnswer>)
      : faultResponse(answer.error, c.req.path);
  };
  app.post("/v1/query", handler);
  app.post("/query", handler);
}

function faultResponse(fault: QueryFault, path: string): Response {
  const { code, message, position, length, expected, found, hint } = fault;
  const status = STATUS[code] ?? 400;
  const said = status === 504 ? failure("server_error", message, { code }) : failure("bad_request", message, { code });
  const { error } = faultBody(new HttpFault(status, said), path) as { readonly error: object };
  const details: z.output<typeof queryFaultDetails> = {
    ...{ code, position, length, expected: [...expected], found },
    ...(hint !== undefined && { hint }),
  };
  return Response.json({ error: { ...error, ...details } }, { status });
}
