import { describe, expect, it } from "vitest";
import { FAILURE_CLASSES, failure } from "../../../src/failure/failure.ts";
import { httpError } from "../../../src/failure/http.ts";
import { afterFailure, countsAgainstBreaker, retryClass } from "../../../src/failure/policy.ts";

/** Decision 16, product.md section 4, decision 11: one line per class. */
const EXPECTED = {
  content_invalid: ["retry-or-next", "neutral", "content_invalid", 422],
  network: ["retry-or-next", "failure", "network", 502],
  capacity_shed: ["retry-or-next", "failure", "capacity_shed", 429],
  server_error: ["retry-or-next", "failure", "server_error", 502],
  quota_exhausted: ["next", "trip", undefined, 503],
  auth: ["next", "trip", undefined, 502],
  bad_request: ["stop", "neutral", undefined, 400],
  content_filter: ["stop", "neutral", undefined, 400],
  budget_exhausted: ["stop", "neutral", undefined, 402],
  breaker_open: ["next", "neutral", undefined, 503],
  no_candidate: ["stop", "neutral", undefined, 503],
  invariant_violation: ["stop", "neutral", undefined, 400],
  canceled: ["stop", "neutral", undefined, 499],
  rate_limited: ["stop", "neutral", undefined, 429],
} as const;

describe("after a failure", () => {
  it.each(FAILURE_CLASSES)("%s", (failureClass) => {
    const reason = failure(failureClass, "");
    const [onward, breaker, budget, status] = EXPECTED[failureClass];
    expect(afterFailure(reason)).toBe(onward);
    expect(countsAgainstBreaker(reason)).toBe(breaker);
    expect(retryClass(reason)).toBe(budget);
    expect(httpError(reason).status).toBe(status);
  });

  it("a prompt too long goes only to a larger window, and says nothing of the upstream's health (G090)", () => {
    const reason = failure("bad_request", "", { reason: "context_length" });
    expect(afterFailure(reason)).toBe("next-larger-window");
    expect(countsAgainstBreaker(reason)).toBe("neutral");
  });

  it("G094: an open breaker is never retried on the same candidate", () => {
    expect(retryClass(failure("breaker_open", ""))).toBeUndefined();
  });
});

describe("what the client is told", () => {
  it("G083: a rate limit names its wait, or a second where none is known", () => {
    expect(httpError(failure("capacity_shed", "", { retryAfterMs: 60_000 })).headers).toMatchObject({
      "retry-after": "60",
      "retry-after-ms": "60000",
    });
    expect(httpError(failure("capacity_shed", "", { retryAfterMs: 1_200 })).headers["retry-after"]).toBe("2");
    expect(httpError(failure("capacity_shed", "")).headers["retry-after"]).toBe("1");
    expect(httpError(failure("breaker_open", "", { retryAfterMs: 30_000 })).headers["retry-after"]).toBe("30");
  });

  it("tells official clients not to repeat what repeating cannot cure", () => {
    for (const failureClass of ["quota_exhausted", "auth", "no_candidate"] as const) {
      expect(httpError(failure(failureClass, "")).headers["x-should-retry"]).toBe("false");
    }
    expect(httpError(failure("network", "")).headers["x-should-retry"]).toBeUndefined();
  });

  it("tells the three budget refusals apart, and invites only the busy one back", () => {
    const answers = (["envelope_busy", "envelope_spent", "envelope_too_small"] as const).map((reason) =>
      httpError(failure("budget_exhausted", "", { reason })),
    );
    expect(answers.map(({ status }) => status)).toEqual([402, 402, 402]);
    expect(answers.map(({ code }) => code)).toEqual(["envelope_busy", "envelope_spent", "envelope_too_small"]);
    expect(answers.map(({ headers }) => headers["x-should-retry"])).toEqual(["true", undefined, undefined]);
    expect(answers.map(({ headers }) => headers["retry-after"])).toEqual(["1", undefined, undefined]);
  });

  it("uses the codes that clients of the OpenAI API test for", () => {
    expect(httpError(failure("bad_request", "", { reason: "context_length" }))).toMatchObject({
      status: 400,
      type: "invalid_request_error",
      code: "context_length_exceeded",
    });
    expect(httpError(failure("bad_request", "", { reason: "model_not_found" }))).toMatchObject({ status: 404 });
    expect(httpError(failure("bad_request", "", { status: 413 }))).toMatchObject({
      status: 413,
      code: "request_too_large",
    });
    expect(httpError(failure("network", "", { reason: "timeout" }))).toMatchObject({
      status: 504,
      code: "upstream_timeout",
    });
    expect(httpError(failure("content_invalid", "", { reason: "truncated" }))).toMatchObject({
      status: 422,
      code: "truncated",
    });
  });
});
