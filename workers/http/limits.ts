/** What a request may weigh. Refused with 413, 431 or 400 before anything is parsed; never a crash. */
import type { MiddlewareHandler } from "hono";
import type { Limits } from "../../src/config/config.ts";
import { failure } from "../../src/failure/failure.ts";
import { exceedsDepth, exceedsMembers, MOST_MEMBERS } from "../../src/json/depth.ts";
import { parseExact } from "../../src/json/exact-numbers.ts";
import { jsonFaultPosition } from "../../src/json/json-fault.ts";
import { wellFormedEscapes } from "../../src/json/well-formed-json.ts";
import type { AppEnv } from "../context.ts";
import { badRequest, HttpFault } from "./fault.ts";

export const requestLimits = (): MiddlewareHandler<AppEnv> =>
  async function requestLimits(c, next) {
    checkHead(c.req.raw.headers, c.get("runtime").config.limits);
    await next();
  };

/** Refuses oversized headers, and bodies that say they are too large. */
export function checkHead(headers: Headers, limits: Limits): void {
  let bytes = 0;
  for (const [name, value] of headers) bytes += name.length + value.length + 4;
  if (bytes > limits.headerBytes) {
    throw new HttpFault(
      431,
      failure("bad_request", `the headers exceed ${limits.headerBytes} bytes`, { code: "headers_too_large" }),
    );
  }
  if (declaredBytes(headers) > limits.bodyBytes) throw tooLarge(limits);
}

/**
 * The body as a JSON object: counted while it arrives, its nesting checked before it is parsed. Half a surrogate pair
 * becomes U+FFFD, because neither the database nor a provider takes it.
 */
export async function readJsonBody(request: Request, limits: Limits): Promise<Record<string, unknown>> {
  const text = wellFormedEscapes(await readText(request, limits));
  if (exceedsDepth(text, limits.jsonDepth)) {
    throw badRequest(`the JSON body is nested deeper than ${limits.jsonDepth} levels`, "json_too_deep");
  }
  if (exceedsMembers(text, MOST_MEMBERS)) {
    const what = `more than ${MOST_MEMBERS.each} members in one object, or ${MOST_MEMBERS.total} in all`;
    throw badRequest(`the JSON body holds ${what}`, "json_too_many_members");
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

/** NaN where the body does not say how long it is. */
function declaredBytes(headers: Headers): number {
  return Number(headers.get("content-length") ?? Number.NaN);
}

async function readText(request: Request, limits: Limits): Promise<string> {
  if (request.body === null) throw badRequest("the body is empty; a JSON object is expected", "invalid_json");
  // The transport holds a body to the length it says, and reading one whole is much cheaper than counting its pieces.
  const encoding = request.headers.get("content-encoding")?.trim().toLowerCase() ?? "identity";
  const body =
    encoding !== "identity"
      ? await readCompressed(request.body, encoding, limits)
      : declaredBytes(request.headers) <= limits.bodyBytes
        ? new Uint8Array(await request.arrayBuffer())
        : await readCounted(request.body, limits);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(body);
  } catch {
    throw badRequest("the body is not valid UTF-8", "invalid_json");
  }
}

/** Encodings that the platform decodes as they arrive. */
const DECODED: Readonly<Record<string, "gzip" | "deflate">> = { gzip: "gzip", "x-gzip": "gzip", deflate: "deflate" };

/** The limit counts what comes out, so that a small body cannot become a large one. */
async function readCompressed(body: ReadableStream<Uint8Array>, encoding: string, limits: Limits): Promise<Uint8Array> {
  const format = Object.hasOwn(DECODED, encoding) ? DECODED[encoding] : undefined;
  if (format === undefined) {
    const what = `content-encoding ${encoding.slice(0, 40)} is not decoded here; send gzip, deflate or no encoding`;
    const fault = failure("bad_request", what, { code: "unsupported_content_encoding", param: "content-encoding" });
    throw new HttpFault(415, fault, { "accept-encoding": "gzip, deflate, identity" });
  }
  try {
    return await readCounted(body.pipeThrough(new DecompressionStream(format)), limits);
  } catch (error) {
    if (error instanceof HttpFault) throw error;
    throw badRequest(`the body is not valid ${encoding}`, "invalid_content_encoding", "content-encoding");
  }
}

async function readCounted(body: ReadableStream<Uint8Array>, limits: Limits): Promise<Uint8Array> {
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes += value.byteLength;
    if (bytes > limits.bodyBytes) {
      // Not cancelled: `modelrig dev` reads the rest, elsewhere it is dropped with the request.
      reader.releaseLock();
      throw tooLarge(limits);
    }
    chunks.push(value);
  }
  const whole = new Uint8Array(bytes);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return whole;
}

function tooLarge(limits: Limits): HttpFault {
  return new HttpFault(
    413,
    failure("bad_request", `the body exceeds ${limits.bodyBytes} bytes`, { code: "body_too_large" }),
  );
}
