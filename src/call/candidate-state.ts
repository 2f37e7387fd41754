/** State of one candidate within a call, and how a failure changes it. Pure: the loop is in `execute.ts`. */
import type { Failure } from "../failure/failure.ts";
import { afterFailure, type Onward } from "../failure/policy.ts";
import type { ServedRung } from "../route/route.ts";
import type { ChatRequest } from "../wire/chat.ts";
import type { DroppedField } from "../wire/dialect.ts";
import type { OutputRule } from "./call.ts";
import { withoutPrefill } from "./request-shape.ts";

export interface CandidateState {
  /** Rungs that are left, in ladder order; the next request uses the first. Never empty. */
  readonly rungs: readonly [ServedRung, ...ServedRung[]];
  readonly request: ChatRequest;
  /**
   * The rule that the answer must meet: the call's own, or JSON where the request asks for it and the API cannot
   * guarantee it.
   */
  readonly rule: OutputRule | undefined;
  readonly dropped: readonly DroppedField[];
  /** A breaker's probe; the next attempt reports its result. */
  readonly probeId: string | undefined;
}

/**
 * `ask`: send a changed request at once. `retry`: send the same again, if the call's budget has a retry left. Otherwise
 * the candidate is done.
 */
type AfterAttempt =
  | { readonly type: "ask" | "retry"; readonly state: CandidateState }
  | { readonly type: "done"; readonly onward: Exclude<Onward, "retry-or-next"> };

export function afterAttempt(state: CandidateState, reason: Failure, onContentFilter: "stop" | "next"): AfterAttempt {
  const [, lower, ...lowest] = state.rungs;
  const asked = { ...state, probeId: undefined };
  if (reason.reason === "schema_too_complex" && lower !== undefined) {
    return { type: "ask", state: { ...asked, rungs: [lower, ...lowest] } };
  }
  const bare = reason.reason === "prefill_rejected" ? withoutPrefill(state.request) : undefined;
  if (bare) {
    const left = { field: "messages", why: "the assistant prefill was refused and left out" };
    return { type: "ask", state: { ...asked, request: bare, dropped: [...state.dropped, left] } };
  }
  const onward = onwardAfter(reason, onContentFilter);
  return onward === "retry-or-next" ? { type: "retry", state: asked } : { type: "done", onward };
}

function onwardAfter(reason: Failure, onContentFilter: "stop" | "next"): Onward {
  // Our own encoder refused and nothing was sent: this candidate cannot take the request, but another may.
  if (reason.class === "bad_request" && reason.status === undefined) return "next";
  if (reason.reason === "schema_too_complex") return "next";
  if (reason.class === "content_filter" && onContentFilter === "next") return "next";
  return afterFailure(reason);
}
