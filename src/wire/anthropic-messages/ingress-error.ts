import type { Failure } from "../../failure/failure.ts";
import { httpError } from "../../failure/http.ts";
import type { ErrorDetails } from "../dialect.ts";

/** Error types known to the official client, by HTTP status. */
const TYPES: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  504: "timeout_error",
  529: "overloaded_error",
};

/** Returns Anthropic's error shape with the gateway's fields added. */
export function errorBody(reason: Failure, details: ErrorDetails): Record<string, unknown> {
  const { status, code } = httpError(reason);
  return messageError(status, code, reason, details);
}

/** The same for a refusal with a known status and code. */
export function messageError(
  status: number,
  code: string,
  reason: Failure,
  details: ErrorDetails,
): Record<string, unknown> {
  return {
    type: "error",
    error: {
      type: TYPES[status] ?? (status >= 500 ? "api_error" : "invalid_request_error"),
      message: reason.message,
      code,
      param: reason.param ?? null,
      failure_class: reason.class,
      ...(reason.unsupported && { details: { error_code: reason.code ?? code, unsupported: reason.unsupported } }),
      inference_id: details.inferenceId ?? null,
      attempts: details.attempts,
    },
    request_id: details.inferenceId ?? details.requestId ?? null,
  };
}
