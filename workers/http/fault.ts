import { type Failure, failure } from "../../src/failure/failure.ts";
import { messageError } from "../../src/wire/anthropic-messages/ingress-error.ts";

/** A refusal made by the HTTP layer itself, before or instead of a call. Thrown by helpers, answered by `onError`. */
export class HttpFault extends Error {
  override readonly name = "HttpFault" as const;
  readonly status: number;
  readonly failure: Failure;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, fault: Failure, headers: Readonly<Record<string, string>> = {}) {
    super(fault.message);
    this.status = status;
    this.failure = fault;
    this.headers = headers;
  }
}

/** Anthropic's error shape on its endpoints, OpenAI's everywhere else. */
export function faultBody(
  { status, failure: fault }: HttpFault,
  path: string,
  requestId?: string,
): Record<string, unknown> {
  const code = fault.code ?? fault.reason ?? fault.class;
  if (speaksMessages(path)) return messageError(status, code, fault, { attempts: [], requestId });
  return {
    error: {
      message: fault.message,
      type: status >= 500 ? "api_error" : "invalid_request_error",
      code,
      param: fault.param ?? null,
      failure_class: fault.class,
      inference_id: null,
      attempts: [],
    },
  };
}

/** Whether Anthropic's clients call this path. */
export function speaksMessages(path: string): boolean {
  return path === "/v1/messages" || path.startsWith("/v1/messages/");
}

export const badRequest = (message: string, code: string, param?: string): HttpFault =>
  new HttpFault(400, failure("bad_request", message, { code, param }));

export const notFound = (message: string, code: string, param?: string): HttpFault =>
  new HttpFault(404, failure("bad_request", message, { code, param }));

/** `allowed`: the methods that the path takes. */
export const methodNotAllowed = (allowed: readonly string[]): HttpFault => {
  const methods = allowed.join(", ");
  const message = `this path takes ${methods}`;
  return new HttpFault(405, failure("bad_request", message, { code: "method_not_allowed" }), { allow: methods });
};

export const unauthorized = (message: string, code: string): HttpFault =>
  new HttpFault(401, failure("auth", message, { code }), { "www-authenticate": "Bearer" });

export const forbidden = (message: string, code: string): HttpFault =>
  new HttpFault(403, failure("auth", message, { code }));

export const unavailable = (message: string, code: string, retryAfterSeconds: number): HttpFault =>
  new HttpFault(503, failure("server_error", message, { code, retryAfterMs: retryAfterSeconds * 1000 }), {
    "retry-after": String(retryAfterSeconds),
  });
