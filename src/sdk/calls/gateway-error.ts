/** From the gateway's error object to what a call made here would have thrown. */
import { FAILURE_CLASSES, type FailureReason, failure } from "../../failure/failure.ts";
import { arrayAt, isRecord, type JsonRecord, numberAt, stringAt } from "../../json/record.ts";
import { type AttemptSummary, type FailureClass, RigError } from "../errors.ts";

export function errorFrom(
  error: JsonRecord | undefined,
  status: number,
  inferenceId: string | null,
  costUsd?: string | undefined,
): RigError {
  const known = FAILURE_CLASSES.find((one) => one === error?.["failure_class"]);
  const attempts = (arrayAt(error, "attempts") ?? []).filter(isRecord).map(attemptFrom);
  const last = attempts.at(-1);
  const reason = failure(known ?? classOf(status), stringAt(error, "message") ?? `the gateway answered ${status}`, {
    status,
    code: stringAt(error, "code"),
    param: stringAt(error, "param"),
    reason: last?.failureClass === known ? last?.reason : undefined,
  });
  return new RigError(reason, { inferenceId: stringAt(error, "inference_id") ?? inferenceId, attempts, costUsd });
}

/** Answers without a class are refusals of the gateway itself, or come from something in front of it. */
function classOf(status: number): FailureClass {
  if (status === 401 || status === 403) return "auth";
  if (status === 402) return "budget_exhausted";
  if (status === 429 || status === 503) return "capacity_shed";
  return status >= 500 ? "server_error" : "bad_request";
}

function attemptFrom(attempt: JsonRecord): AttemptSummary {
  return {
    provider: stringAt(attempt, "provider") ?? "",
    model: stringAt(attempt, "model") ?? "",
    rung: stringAt(attempt, "rung") ?? "none",
    latencyMs: numberAt(attempt, "latency_ms") ?? 0,
    status: numberAt(attempt, "status"),
    failureClass: FAILURE_CLASSES.find((one) => one === attempt["failure_class"]),
    // The gateway of the same version names reasons of the same closed set.
    reason: stringAt(attempt, "reason") as FailureReason | undefined,
    message: stringAt(attempt, "message"),
  };
}
