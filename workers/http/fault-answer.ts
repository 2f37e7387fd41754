import { failure } from "../../src/failure/failure.ts";
import { isUnavailable } from "../../src/store/database/store-error.ts";
import { logError } from "../log.ts";
import { faultBody, HttpFault, speaksMessages, unavailable } from "./fault.ts";
import { requestIdHeader } from "./request-id.ts";

/** The answer to whatever a handler throws: its own refusal, 503 while the database is away, else 500 without details. */
export function faultAnswer(error: unknown, path: string): Response {
  const fault = error instanceof HttpFault ? error : unexpected(error);
  const named = speaksMessages(path) ? requestIdHeader() : undefined;
  return Response.json(faultBody(fault, path, named?.["request-id"]), {
    status: fault.status,
    headers: { ...fault.headers, ...named },
  });
}

function unexpected(error: unknown): HttpFault {
  logError("request failed", error);
  return isUnavailable(error)
    ? unavailable("the database cannot be used at the moment", "database_unavailable", 1)
    : new HttpFault(500, failure("server_error", "an internal error occurred", { code: "internal" }));
}
