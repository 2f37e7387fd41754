/** Failures of answers that a provider delivered with status 200 and did not finish, or finished badly. */
import { type Failure, failure } from "../failure/failure.ts";
import type { FinishReason } from "./chat.ts";

/** An answer that ends before it says that it is whole, as a body or as a stream. `how` completes "the answer ended …". */
export function unfinished(how: string): Failure {
  return failure("network", `the answer ended ${how}`, { reason: "reset", status: 200 });
}

/** The provider itself says that the answer came out broken (a malformed function call, say). */
export function brokenAnswer({ raw = "error" }: FinishReason): Failure {
  return failure("content_invalid", `the provider reports a broken answer (${raw})`, {
    reason: "unparseable",
    code: raw,
  });
}
