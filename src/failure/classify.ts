import type { ClassificationRow } from "./classification-row.ts";
import { CLASSIFICATION } from "./classification-table.ts";
import { type Failure, type FailureClass, failure } from "./failure.ts";
import type { ProviderError } from "./provider-error.ts";
import { redact } from "./redact.ts";

/**
 * Returns what an upstream's error means for the call. Structured fields decide first, the opening words of the message
 * last.
 */
export function classify(error: ProviderError): Failure {
  const row = classificationRow(error);
  const message = redact(error.message) || `${error.provider} answered ${error.status} without saying why`;
  return failure(row?.class ?? classOfStatus(statusOf(error)), message, {
    reason: row?.reason,
    status: error.status,
    code: word(error.code ?? error.type),
    param: word(error.param),
    retryAfterMs: error.retryAfterMs,
    ...(error.final ? { final: true } : {}),
  });
}

/** Longest code or parameter name; real ones are words and short paths. */
const MAX_WORD_LENGTH = 200;

/**
 * Returns a code or parameter name that is safe to log and to store, because it may contain any text of the upstream.
 */
function word(text: string | undefined): string | undefined {
  return text === undefined ? undefined : redact(text, MAX_WORD_LENGTH);
}

/** Returns the first row that matches, or undefined where only the status family decides. */
export function classificationRow(error: ProviderError): ClassificationRow | undefined {
  const status = statusOf(error);
  return CLASSIFICATION.find((row) => matches(row, error, status));
}

/**
 * An error inside a 200 often names, as its structured code, the status it should have had (OpenRouter, Gemini).
 * Beside a real error status the code says nothing about the status.
 */
function statusOf(error: ProviderError): number {
  if (error.status >= 300 || error.code === undefined) return error.status;
  return /^[45]\d\d$/.test(error.code) ? Number(error.code) : error.status;
}

function matches(row: ClassificationRow, error: ProviderError, status: number): boolean {
  const { code, type, param, details = [] } = error;
  return (
    (row.provider === undefined || row.provider.includes(error.provider)) &&
    (row.status === undefined || row.status.includes(status)) &&
    (row.word === undefined || [code, type].some((word) => word !== undefined && row.word?.test(word))) &&
    (row.detail === undefined || details.some((detail) => row.detail?.test(detail))) &&
    (row.param === undefined || (param !== undefined && row.param.test(param))) &&
    (row.message === undefined || row.message.test(error.message.trimStart()))
  );
}

/**
 * Returns the class for a status that no row names: 5xx, redirects and unexplained errors inside a 200 are
 * `server_error`.
 */
function classOfStatus(status: number): FailureClass {
  return status >= 400 && status < 500 ? "bad_request" : "server_error";
}
