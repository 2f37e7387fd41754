/** Failures of answers that a provider delivered with status 200 and did not finish, or finished badly. */
import { type Failure, failure } from "../failure/failure.ts";
import type { FinishReason } from "./chat.ts";

/**
 * Failure of an answer, as a body or a stream, that ends before it is marked complete. `how` completes "the answer
 * ended …".
 */
export function unfinished(how: string): Failure {
  return failure("network", `the answer ended ${how}`, { reason: "reset", status: 200 });
}

/** Failure of an answer that breaks its dialect. */
export function malformed(message: string): Failure {
  return failure("network", message, { reason: "malformed_response", status: 200 });
}

/** Failure of an answer that the provider itself reports as broken (a malformed function call, for example). */
export function brokenAnswer({ raw = "error" }: FinishReason): Failure {
  return failure("content_invalid", `the provider reports a broken answer (${raw})`, {
    reason: "unparseable",
    code: raw,
  });
}
