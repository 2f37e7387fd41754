/** What a client's model word means: a route under its policy, or one raw model. */
import type { CallContext, CallPolicy } from "../../src/call/call.ts";
import { rawPolicy as policyOf } from "../../src/call/raw-policy.ts";
import { routePolicy } from "../../src/call/route-policy.ts";
import { failure } from "../../src/failure/failure.ts";
import { canonicalJson } from "../../src/route/canonical.ts";
import { resolveModelWord } from "../../src/route/model-word.ts";
import type { NarrowedRoute } from "../../src/route/narrow.ts";
import type { Route } from "../../src/route/route.ts";
import type { ChatRequest } from "../../src/wire/chat.ts";
import { HttpFault } from "../http/fault.ts";
import type { Runtime } from "../runtime.ts";
import { type Caller, liveContext, modelNotFound, requireReach, routeFor } from "./call-access.ts";
import type { RequestMarks } from "./request-marks.ts";

interface CallTarget {
  readonly context: CallContext;
  readonly policy: CallPolicy;
  readonly route: Route | undefined;
}

/** 404 for a word that names nothing, 403 for what the key may not reach, 400 for a schema that is not the route's. */
export async function callTarget(
  caller: Caller,
  model: string,
  request: Pick<ChatRequest, "responseFormat">,
  marks: RequestMarks,
): Promise<CallTarget> {
  const word = resolveModelWord(model);
  if (!word.ok) throw new HttpFault(400, { ...word.error, code: "invalid_model" });
  switch (word.value.type) {
    case "auto":
      throw modelNotFound("the auto lane is not part of this version; name a route or provider/model");
    case "route": {
      const narrowed = await routeFor(caller, word.value.route, word.value.variant);
      refuseForeignSchema(narrowed, request);
      const policy = routePolicy(narrowed, { allowTrial: false, stream: marks.stream ?? narrowed.route.stream });
      return { context: liveContext(caller.principal, narrowed, marks), policy, route: narrowed.route };
    }
    case "raw": {
      const { provider, model: id } = word.value;
      requireReach(caller.principal, `raw:${provider}/${id}`);
      if (!caller.runtime.providers.find(provider)) throw modelNotFound(`no provider is named ${provider}`);
      const policy = rawPolicy(caller.runtime, provider, id, request, marks);
      return { context: liveContext(caller.principal, undefined, marks), policy, route: undefined };
    }
  }
}

/** A request for another schema than the route's own cannot be honoured, and is not dropped silently. */
function refuseForeignSchema(narrowed: NarrowedRoute, request: Pick<ChatRequest, "responseFormat">): void {
  const asked = request.responseFormat;
  const own = narrowed.output?.schema;
  if (own === undefined || asked?.type !== "json_schema") return;
  if (canonicalJson(asked.schema) === canonicalJson(own)) return;
  const message = `route ${narrowed.route.name} declares its output schema; response_format asks for another`;
  throw new HttpFault(400, failure("invariant_violation", message, { param: "response_format" }));
}

function rawPolicy(
  runtime: Runtime,
  provider: string,
  model: string,
  request: Pick<ChatRequest, "responseFormat">,
  marks: RequestMarks,
): CallPolicy {
  const policy = policyOf(runtime.providers, { provider, model }, request, marks.stream ?? "live");
  if (!policy.ok) throw new HttpFault(400, policy.error);
  return policy.value;
}
