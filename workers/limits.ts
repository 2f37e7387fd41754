/** What a request may weigh. Refused with 413, 431 or 400 before anything is parsed; never a crash. */
import type { MiddlewareHandler } from "hono";
import type { Limits } from "../src/config/config.ts";
import { failure } from "../src/failure/failure.ts";
import { exceedsDepth } from "../src/json/depth.ts";
import { parseExact } from "../src/json/exact-numbers.ts";
import type { AppEnv } from "./context.ts";
import { badRequest, HttpFault } from "./fault.ts";
import { jsonFaultPosition } from "./json-fault.ts";

/** Refuses oversized headers, and bodies that say they are too large. */
export const requestLimits = (): MiddlewareHandler<AppEnv> =>
  async function requestLimits(c, next) {
    const { limits } = c.var.runtime.config;
    let bytes = 0;
    for (const [name, value] of c.req.raw.headers) bytes += name.length + value.length + 4;
    if (bytes > limits.headerBytes) {
      throw new HttpFault(
        431,
        failure("bad_request", `the headers exceed ${limits.headerBytes} bytes`, { code: "headers_too_large" }),
      );
    }
    const declared = Number(c.req.header("content-length") ?? 0);
    if (declared > limits.bodyBytes) throw tooLarge(limits);
    await next();
  };

/** The body as a JSON object: counted while it arrives, its nesting checked before it is parsed. */
export async function readJsonBody(request: Request, limits: Limits): Promise<Record<string, unknown>> {
  const text = await readText(request, limits);
  if (exceedsDepth(text, limits.jsonDepth)) {
    throw badRequest(`the JSON body is nested deeper than ${limits.jsonDepth} levels`, "json_too_deep");
  }
  let body: unknown;
  try {
    body = parseExact(text);
  } catch {
    // The engine's own message quotes the body, so it is not passed on.
    throw badRequest(`the body is not valid JSON: ${jsonFaultPosition(text)}`, "invalid_json");
  }
  if (typeof body === "object" && body !== null && !Array.isArray(body)) return body as Record<string, unknown>;
  throw badRequest("the body must be a JSON object", "invalid_json");
}

async function readText(request: Request, limits: Limits): Promise<string> {
  if (request.body === null) throw badRequest("the body is empty; a JSON object is expected", "invalid_json");
  const reader = request.body.getReader();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes += value.byteLength;
    if (bytes > limits.bodyBytes) {
      await reader.cancel();
      throw tooLarge(limits);
    }
    chunks.push(value);
  }
  try {
    return decode(chunks, bytes);
  } catch {
    throw badRequest("the body is not valid UTF-8", "invalid_json");
  }
}

function decode(chunks: readonly Uint8Array[], bytes: number): string {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
  const [only] = chunks;
  if (only !== undefined && chunks.length === 1) return decoder.decode(only);
  const whole = new Uint8Array(bytes);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return decoder.decode(whole);
}

function tooLarge(limits: Limits): HttpFault {
  return new HttpFault(
    413,
    failure("bad_request", `the body exceeds ${limits.bodyBytes} bytes`, { code: "body_too_large" }),
  );
}
