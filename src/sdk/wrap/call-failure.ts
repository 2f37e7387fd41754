/** What an error that a client threw means for the call. */
import { networkFailure } from "../../call/upstream.ts";
import { classify } from "../../failure/classify.ts";
import { type Failure, failure } from "../../failure/failure.ts";
import { isRecord, numberAt, recordAt, stringAt } from "../../json/record.ts";
import { decodeError } from "../../wire/error-body.ts";

/** Clients that throw for an error status keep it as `status` or `statusCode`, some of them the body too. */
export function callFailure(cause: unknown, provider: string, now: number): Failure {
  if (isAbort(cause)) return canceled();
  const thrown = isRecord(cause) ? cause : undefined;
  const status = numberAt(thrown, "statusCode") ?? numberAt(thrown, "status");
  if (status === undefined || status < 400) return networkFailure(cause);
  const body = stringAt(thrown, "responseBody") ?? (cause instanceof Error ? cause.message : "");
  const told = Object.entries(recordAt(thrown, "responseHeaders") ?? {});
  const headers = new Headers(told.filter((one): one is [string, string] => typeof one[1] === "string"));
  return classify(decodeError(status, headers, body, { provider }, now));
}

export function canceled(): Failure {
  return failure("canceled", "the caller ended the call");
}

export function isAbort(cause: unknown): boolean {
  return cause instanceof Error && (cause.name === "AbortError" || cause.name === "APIUserAbortError");
}
