import { HranaProtocolError } from "./hrana-value.ts";
import type { HranaAnswer } from "./process-messages.ts";

/** An answer in place of a result: the whole HTTP request failed. */
export class HranaHttpError extends Error {
  override readonly name = "HranaHttpError" as const;
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Returns the answer for a request that has no result. */
export function hranaErrorAnswer(cause: unknown): HranaAnswer {
  const [status, code] =
    cause instanceof HranaHttpError
      ? [cause.status, cause.code]
      : cause instanceof HranaProtocolError
        ? [400, "HRANA_PROTO_ERROR"]
        : [500, "INTERNAL"];
  const message = cause instanceof Error ? cause.message : String(cause);
  return { status, body: JSON.stringify({ message, code }) };
}
