/** Returns a failure in the error shape of OpenAI's clients, with the gateway's own fields beside it. */
import type { Failure } from "../failure/failure.ts";
import { httpError } from "../failure/http.ts";
import type { ErrorDetails } from "./dialect.ts";

export function encodeError(failure: Failure, { inferenceId, attempts }: ErrorDetails): Record<string, unknown> {
  const { type, code } = httpError(failure);
  return {
    error: {
      message: failure.message,
      type,
      code,
      param: failure.param ?? null,
      failure_class: failure.class,
      ...(failure.reason === undefined ? {} : { failure_reason: failure.reason }),
      ...(failure.resetsAt === undefined ? {} : { resets_at: failure.resetsAt }),
      inference_id: inferenceId ?? null,
      attempts,
    },
  };
}
