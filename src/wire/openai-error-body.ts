/** A failure in the shape that OpenAI's clients know, with the gateway's own account of it beside. */
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
