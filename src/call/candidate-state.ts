/** How far the ladder got with one candidate, and what a failure changes in that. Pure: the loop is in `execute.ts`. */
import type { Failure } from "../failure/failure.ts";
import { afterFailure, type Onward } from "../failure/policy.ts";
import type { ServedRung } from "../route/route.ts";
import type { ChatRequest } from "../wire/chat.ts";
import type { DroppedField } from "../wire/dialect.ts";
import type { OutputRule } from "./call.ts";
import { withoutPrefill } from "./request-shape.ts";

export interface CandidateState {
  /** Ways of asking that are left, in ladder order; the first is asked on. Never empty. */
  readonly rungs: readonly [ServedRung, ...ServedRung[]];
  readonly request: ChatRequest;
  /** What the answer is held to: the call's own rule, or JSON where the request asks for it and the API cannot promise it. */
  readonly rule: OutputRule | undefined;
  readonly dropped: readonly DroppedField[];
  /** A breaker's probe, which the next attempt reports on. */
  readonly probeId: string | undefined;
}

/** `ask`: at once, changed. `retry`: the same again, if the call's budget has a retry left. Otherwise the candidate is done. */
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
  // Refused by our own encoder, nothing was sent: this candidate cannot take the request, another may.
  if (reason.class === "bad_request" && reason.status === undefined) return "next";
  if (reason.reason === "schema_too_complex") return "next";
  if (reason.class === "content_filter" && onContentFilter === "next") return "next";
  return afterFailure(reason);
}
