/** Endpoints of the contract as routes of the Worker: scope, reach, parameters and body are checked before the handler. */
import type { Context, Hono } from "hono";
import {
  type BodyOf,
  type Endpoint,
  type ParamsOf,
  paramNames,
  type QueryOf,
  type Reply,
} from "../../src/api/endpoint.ts";
import type { Caller } from "../calls/call-access.ts";
import { requireReach } from "../calls/call-access.ts";
import type { AppEnv } from "../context.ts";
import { requireEveryRow, requireScope } from "../http/auth.ts";
import { methodNotAllowed } from "../http/fault.ts";
import { readJsonBody } from "../http/limits.ts";
import { parseBody, readQuery } from "./parsing.ts";

interface Request<E extends Endpoint> extends Caller {
  readonly params: ParamsOf<E>;
  readonly query: QueryOf<E>;
  readonly body: BodyOf<E>;
  /** Parameters of the URL that begin with the endpoint's `queryPrefix`, without it. */
  readonly prefixed: Readonly<Record<string, string>>;
  readonly raw: globalThis.Request;
}

/** An answer that is no JSON, or that is built elsewhere. */
interface OwnResponse {
  readonly response: Response;
}

type Handler<E extends Endpoint> = (request: Request<E>) => Promise<Reply<E> | OwnResponse> | Reply<E> | OwnResponse;

/**
 * Mounts an endpoint that needs a key, with the handler given next: it answers a documented status with its body. In two
 * steps, so that the handler's types follow from the endpoint.
 */
export function mount<E extends Endpoint>(app: Hono<AppEnv>, endpoint: E) {
  return {
    with(handler: Handler<E>): void {
      for (const path of [endpoint.path, ...(endpoint.aliases ?? [])]) {
        app.on(endpoint.method.toUpperCase(), honoPath(path), (c) => serve(c, endpoint, handler));
      }
    },
  };
}

async function serve<E extends Endpoint>(c: Context<AppEnv>, endpoint: E, handler: Handler<E>): Promise<Response> {
  const { runtime, principal } = c.var;
  if (endpoint.access !== "any-key" && endpoint.access !== "open") requireScope(principal, endpoint.access);
  if (endpoint.everyRow !== undefined) requireEveryRow(principal, endpoint.everyRow);
  if (endpoint.reach !== undefined) requireReach(principal, c.req.param(endpoint.reach) ?? "");
  const { query, prefixed } = readQuery(endpoint, c.req.url);
  const body = endpoint.body && parseBody(endpoint.body, await readJsonBody(c.req.raw, runtime.config.limits));
  const reply = await handler({
    ...{ runtime, principal, prefixed, raw: c.req.raw, signal: c.req.raw.signal },
    params: c.req.param() as ParamsOf<E>,
    query: query as QueryOf<E>,
    body: body as BodyOf<E>,
    background: (work) => c.executionCtx.waitUntil(work),
  });
  return "response" in reply ? reply.response : responseOf(reply);
}

function responseOf({ status, body, headers = {} }: Reply<Endpoint>): Response {
  return body === undefined ? new Response(null, { status, headers }) : Response.json(body, { status, headers });
}

/** A model's id may hold slashes, written as they are. */
function honoPath(path: string): string {
  return paramNames(path).reduce(
    (known, name) => known.replace(`{${name}}`, name === "model" ? ":model{.+}" : `:${name}`),
    path,
  );
}

/** Answers 405 with `Allow` on every path of these endpoints for the methods they do not take. Mounted after them. */
export function mountOtherMethods(app: Hono<AppEnv>, endpoints: readonly Endpoint[]): void {
  const methods = new Map<string, Set<string>>();
  for (const { method, path, aliases = [] } of endpoints) {
    for (const one of [path, ...aliases].map(honoPath)) {
      // Paths that differ only by the names of their parameters are one.
      const key = one.replace(/:\w+(\{[^}]*\})?/g, ":_$1");
      methods.set(key, (methods.get(key) ?? new Set()).add(method.toUpperCase()));
    }
  }
  for (const [path, taken] of methods) {
    const allowed = [...taken, ...(taken.has("GET") ? ["HEAD"] : [])];
    app.all(path, () => {
      throw methodNotAllowed(allowed);
    });
  }
}
