/** What a caller may ask of a route or of a raw model, beyond what the route itself says. */
import type { CallPolicy } from "../src/call/call.ts";
import { rawPolicy as policyOf } from "../src/call/raw-policy.ts";
import { failure } from "../src/failure/failure.ts";
import { canonicalJson } from "../src/route/canonical.ts";
import type { NarrowedRoute } from "../src/route/narrow.ts";
import type { ChatRequest } from "../src/wire/chat.ts";
import { HttpFault } from "./fault.ts";
import type { RequestMarks } from "./request-marks.ts";
import type { Runtime } from "./runtime.ts";

/** A request for another schema than the route's own cannot be honoured, and is not dropped silently. */
export function refuseForeignSchema(narrowed: NarrowedRoute, request: Pick<ChatRequest, "responseFormat">): void {
  const asked = request.responseFormat;
  const own = narrowed.output?.schema;
  if (own === undefined || asked?.type !== "json_schema") return;
  if (canonicalJson(asked.schema) === canonicalJson(own)) return;
  const message = `route ${narrowed.route.name} declares its output schema; response_format asks for another`;
  throw new HttpFault(400, failure("invariant_violation", message, { param: "response_format" }));
}

export function rawPolicy(
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
