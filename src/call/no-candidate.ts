import { type Failure, failure } from "../failure/failure.ts";
import type { CallInput } from "./call.ts";
import type { Skip } from "./inference.ts";

/** Returns why a call ended without an attempt: every declared candidate was skipped. */
export function noCandidate(skipped: readonly Skip[], input: CallInput, breakerRetryMs: number | undefined): Failure {
  const serving = skipped.filter((skip) => skip.why !== "trial");
  const reasons = serving.map((skip) => `${skip.candidate}: ${skip.detail}`).join("; ");
  if (breakerRetryMs !== undefined) {
    return failure("breaker_open", `every candidate that could serve is cooling down (${reasons})`, {
      retryAfterMs: breakerRetryMs,
    });
  }
  const unenforceable =
    input.policy.output !== undefined && serving.length > 0 && serving.every((skip) => skip.why === "capability");
  if (unenforceable && input.context.lane === "raw") {
    return failure("invariant_violation", `the schema asked for cannot be enforced (${reasons})`, {
      param: "response_format",
    });
  }
  return failure(
    "no_candidate",
    reasons === "" ? "no candidate is declared for live traffic" : `no declared candidate can serve: ${reasons}`,
  );
}
