/** Answers for web pages of other origins. Off unless `cors.origins` of `modelrig.yaml` lists them. */
import type { MiddlewareHandler } from "hono";
import type { CorsSettings } from "../../src/config/config.ts";
import type { AppEnv } from "../context.ts";

/** A page may read these beside what every page may; by prefix or whole name. */
const EXPOSED = /^(x-modelrig-|x-ratelimit-|anthropic-ratelimit-|ratelimit|retry-after$|request-id$|etag$|allow$)/;
const TOKEN = /^[a-z0-9!#$%&'*+.^_`|~-]{1,100}$/;
/** Seconds a browser may keep what a preflight answered. */
const PREFLIGHT_TTL_S = 600;

/**
 * Answers preflights of listed origins, and lets their pages read every answer, refusals included. Stands before
 * authentication, since a preflight carries no key.
 */
export const crossOrigin = (): MiddlewareHandler<AppEnv> =>
  async function crossOrigin(c, next) {
    const { cors } = c.get("runtime").config;
    const preflight = preflightAnswer(c.req.raw, cors);
    if (preflight) return preflight;
    await next();
    allowOrigin(c.res.headers, c.req.raw, cors);
    return undefined;
  };

/** Adds the headers by which a browser lets a page of a listed origin read the answer. */
export function allowOrigin(answer: Headers, request: Request, { origins }: CorsSettings): void {
  if (origins.length === 0) return;
  // Also where the origin is not listed: a cache must not give one origin the answer to another.
  answer.append("vary", "Origin");
  const origin = listedOrigin(request, origins);
  if (origin === undefined) return;
  answer.set("access-control-allow-origin", origin);
  const exposed = [...answer.keys()].filter((name) => EXPOSED.test(name));
  if (exposed.length > 0) answer.set("access-control-expose-headers", exposed.join(", "));
}

/** Undefined where the request is no preflight, or one of an origin that is not listed. */
function preflightAnswer(request: Request, cors: CorsSettings): Response | undefined {
  if (request.method !== "OPTIONS" || !request.headers.has("access-control-request-method")) return undefined;
  if (listedOrigin(request, cors.origins) === undefined) return undefined;
  const headers = new Headers({
    "access-control-allow-methods": "GET, HEAD, POST, PUT, DELETE",
    "access-control-allow-headers": allowedHeaders(request).join(", "),
    "access-control-max-age": String(PREFLIGHT_TTL_S),
  });
  allowOrigin(headers, request, cors);
  headers.append("vary", "Access-Control-Request-Headers");
  return new Response(null, { status: 204, headers });
}

/** What the page asks for; of the two ways to present a key only the Bearer token, and never a cookie. */
function allowedHeaders({ headers }: Request): readonly string[] {
  const asked = (headers.get("access-control-request-headers") ?? "").toLowerCase().split(",");
  const names = asked.map((name) => name.trim()).filter((name) => TOKEN.test(name));
  return [...new Set(["authorization", "content-type", ...names])].filter((name) => !REFUSED.has(name));
}

const REFUSED: ReadonlySet<string> = new Set(["cookie", "x-api-key"]);

function listedOrigin({ headers }: Request, origins: readonly string[]): string | undefined {
  const origin = headers.get("origin");
  return origin !== null && origins.includes(origin) ? origin : undefined;
}
