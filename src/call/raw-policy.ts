import { err, failure, ok, type Result } from "../failure/failure.ts";
import { compileSchema } from "../json/schema/validate.ts";
import type { ProviderTable } from "../provider/provider.ts";
import { DEFAULT_RETRY, DEFAULT_TIMEOUTS } from "../route/defaults.ts";
import type { Candidate } from "../route/route.ts";
import type { ChatRequest } from "../wire/chat.ts";
import type { CallPolicy, OutputRule } from "./call.ts";

/**
 * Returns the policy of a call to one model outside any route. A schema that the provider is not known to enforce is
 * refused with `invariant_violation`, not served unenforced.
 */
export function rawPolicy(
  providers: ProviderTable,
  target: { readonly provider: string; readonly model: string },
  request: Pick<ChatRequest, "responseFormat">,
  stream: CallPolicy["stream"],
): Result<CallPolicy> {
  const candidate: Candidate = { key: `${target.provider}/${target.model}`, ...target, params: {}, trial: false };
  const output = rawOutput(providers, candidate, request);
  if (!output.ok) return output;
  return ok({
    candidates: [candidate],
    require: [],
    retry: DEFAULT_RETRY,
    timeouts: DEFAULT_TIMEOUTS,
    output: output.value,
    onContentFilter: "stop",
    allowUnpriced: false,
    allowTrial: false,
    stream,
  });
}

/** Without a route's ladder, a schema is either enforced by the provider or refused. */
function rawOutput(
  providers: ProviderTable,
  candidate: Candidate,
  request: Pick<ChatRequest, "responseFormat">,
): Result<OutputRule | undefined> {
  const asked = request.responseFormat;
  if (asked?.type !== "json_schema") return ok(undefined);
  const capabilities = providers.model(candidate.provider, candidate.model)?.capabilities;
  if (capabilities?.native_strict !== true) {
    return invariant(
      `${candidate.key} is not known to enforce a JSON schema; call a route with this schema, or declare native_strict for the model in modelrig.yaml`,
    );
  }
  const compiled = compileSchema(asked.schema);
  if (!compiled.ok) {
    const [fault] = compiled.error;
    return invariant(`the schema cannot be enforced: ${fault?.pointer || "its top"} ${fault?.message ?? ""}`);
  }
  return ok({ schema: asked.schema, name: asked.name, ladder: ["native_strict"] });
}

function invariant(message: string): Result<never> {
  return err(failure("invariant_violation", message, { param: "response_format" }));
}
