/** What a caller may ask of a route or of a raw model, beyond what the route itself says. */
import type { CallPolicy, OutputRule } from "../src/call/call.ts";
import { failure } from "../src/failure/failure.ts";
import { riskyPattern } from "../src/json/risky-pattern.ts";
import { canonicalJson } from "../src/route/canonical.ts";
import { DEFAULT_RETRY, DEFAULT_TIMEOUTS } from "../src/route/defaults.ts";
import type { NarrowedRoute } from "../src/route/narrow.ts";
import type { Candidate } from "../src/route/route.ts";
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
  throw invariant(`route ${narrowed.route.name} declares its output schema; response_format asks for another`);
}

export function rawPolicy(
  runtime: Runtime,
  provider: string,
  model: string,
  request: Pick<ChatRequest, "responseFormat">,
  marks: RequestMarks,
): CallPolicy {
  const candidate: Candidate = { key: `${provider}/${model}`, provider, model, params: {}, trial: false };
  return {
    candidates: [candidate],
    require: [],
    retry: DEFAULT_RETRY,
    timeouts: DEFAULT_TIMEOUTS,
    output: rawOutput(runtime, candidate, request),
    onContentFilter: "stop",
    allowUnpriced: false,
    allowTrial: false,
    stream: marks.stream ?? "live",
  };
}

/** Without a route's ladder a schema is either enforced by the provider or refused. */
function rawOutput(
  runtime: Runtime,
  candidate: Candidate,
  request: Pick<ChatRequest, "responseFormat">,
): OutputRule | undefined {
  const asked = request.responseFormat;
  if (asked?.type !== "json_schema") return undefined;
  const capabilities = runtime.providers.model(candidate.provider, candidate.model)?.capabilities;
  if (capabilities?.native_strict !== true) {
    throw invariant(
      `${candidate.key} is not known to enforce a JSON schema; call a route with this schema, or declare native_strict for the model in modelrig.yaml`,
    );
  }
  const risky = riskyPattern(asked.schema);
  if (risky !== undefined)
    throw invariant(`the pattern ${risky.slice(0, 80)} repeats a repetition and could take for ever to check`);
  return { schema: asked.schema, name: asked.name, ladder: ["native_strict"] };
}

function invariant(message: string): HttpFault {
  return new HttpFault(400, failure("invariant_violation", message, { param: "response_format" }));
}
