/** From a replay input and an arm to the call that the engine executes. */
import type { CallInput } from "../../call/call.ts";
import { routePolicy } from "../../call/route-policy.ts";
import type { EnvelopeClaim } from "../../envelope/envelope.ts";
import { type Failure, failure } from "../../failure/failure.ts";
import type { ReplayInput } from "../../replay/replay-input.ts";
import { checkInput } from "../../route/input.ts";
import type { NarrowedRoute } from "../../route/narrow.ts";
import { renderRequest } from "../../route/render.ts";
import type { ChatRequest } from "../../wire/chat.ts";
import { openaiChatIngress } from "../../wire/openai-chat/index.ts";
import type { Arm } from "../plan/arm.ts";

/** Whose replay it is and what it may spend. */
interface ReplayPass {
  /** The bake-off; every call is tagged `replay: <id>`. */
  readonly id: string;
  readonly org: string;
  readonly claims: readonly EnvelopeClaim[];
}

/**
 * Variables are rendered anew for each candidate, through the arm's template and that candidate's capabilities: an arm
 * is asked as it would serve. Captured messages go as the caller wrote them.
 */
export function replayCall(input: Pick<ReplayInput, "payload">, arm: Arm, pass: ReplayPass): CallInput {
  const { route } = arm.narrowed;
  return {
    context: {
      org: pass.org,
      lane: arm.role === "reference" ? "reference" : "replay",
      route: route.name,
      routeHash: route.hash,
      variant: arm.name,
      arm: arm.name,
      tags: { replay: pass.id },
    },
    policy: routePolicy(arm.narrowed, { allowTrial: true, stream: "validated" }),
    budget: { claims: pass.claims },
    requestFor: requestBuilder(input, arm.narrowed),
    stream: false,
    // A call that was paid for is finished, also when the bake-off is interrupted.
    signal: new AbortController().signal,
  };
}

function requestBuilder(
  input: Pick<ReplayInput, "payload">,
  { route, template }: NarrowedRoute,
): CallInput["requestFor"] {
  const { payload } = input;
  if (payload.kind === "messages") {
    const decoded = openaiChatIngress.decodeRequest({ ...payload.request, model: route.name });
    const request: ChatRequest | Failure = decoded.ok ? { ...decoded.value.request, stream: false } : decoded.error;
    return () => request;
  }
  if (!template) return () => failure("bad_request", `route ${route.name} has no template to render variables with`);
  const accepted = checkInput(route, payload.variables);
  if (!accepted.ok) return () => accepted.error;
  return (_candidate, capabilities) => {
    const rendered = renderRequest(template, route.input, payload.variables, capabilities);
    return rendered.ok ? rendered.value : rendered.error;
  };
}
