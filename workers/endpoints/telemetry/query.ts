import type { Hono } from "hono";
import { type QueryFaultDetails, queryTelemetry } from "../../../src/api/query.ts";
import { failure } from "../../../src/failure/failure.ts";
import type { QueryFault } from "../../../src/query/fault.ts";
import type { AppEnv } from "../../context.ts";
import { faultBody, HttpFault } from "../../http/fault.ts";
import { mount } from "../mount.ts";

const STATUS: Readonly<Partial<Record<QueryFault["code"], number>>> = { query_timeout: 504, query_scope: 403 };

/** `POST /v1/query`, `/query`: the key's own rows, and nothing else. */
export function mountQuery(app: Hono<AppEnv>): void {
  mount(app, queryTelemetry).with(async ({ runtime, principal, body }) => {
    const { queries } = runtime.store().forOrg(principal.org);
    const answer = await queries.ask(body.query, principal.rowScope, { now: runtime.now });
    return answer.ok
      ? { status: 200, body: answer.value }
      : { response: faultResponse(answer.error, queryTelemetry.path) };
  });
}

function faultResponse(fault: QueryFault, path: string): Response {
  const { code, message, position, length, expected, found, hint } = fault;
  const status = STATUS[code] ?? 400;
  const said = status === 504 ? failure("server_error", message, { code }) : failure("bad_request", message, { code });
  const { error } = faultBody(new HttpFault(status, said), path) as { readonly error: object };
  const details: QueryFaultDetails = {
    ...{ code, position, length, expected: [...expected], found },
    ...(hint !== undefined && { hint }),
  };
  return Response.json({ error: { ...error, ...details } }, { status });
}
