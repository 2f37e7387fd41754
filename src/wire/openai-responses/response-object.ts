/** The response object around an answer: what was asked, repeated, and how it ended. */
import type { Failure } from "../../failure/failure.ts";
import { arrayAt, isRecord, type JsonRecord, recordAt } from "../../json/record.ts";
import type { Usage } from "../../money/usage.ts";
import type { FinishReason } from "../chat.ts";
import type { ServedContext } from "../dialect.ts";
import { openaiTier } from "../openai-tier.ts";
import type { OutputItem } from "./output-items.ts";
import { encodeUsage } from "./usage.ts";

/** Fields of the request that the object repeats unchanged, and their values where the request has none. */
const REPEATED: JsonRecord = {
  frequency_penalty: 0,
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  parallel_tool_calls: true,
  presence_penalty: 0,
  previous_response_id: null,
  prompt_cache_key: null,
  prompt_cache_retention: null,
  safety_identifier: null,
  temperature: 1,
  tool_choice: "auto",
  top_logprobs: 0,
  top_p: 1,
  truncation: "disabled",
};

interface ResponseState {
  readonly status: "in_progress" | "completed" | "incomplete" | "failed";
  readonly output: readonly OutputItem[];
  readonly finish?: FinishReason | undefined;
  readonly usage?: Usage | undefined;
  readonly servedTier?: string | undefined;
  readonly failure?: Failure | undefined;
}

export function responseObject(served: ServedContext, state: ResponseState): Record<string, unknown> {
  const { status, output, finish, usage, servedTier, failure } = state;
  return {
    id: served.id,
    object: "response",
    created_at: served.created,
    completed_at: status === "completed" ? (served.now?.() ?? served.created) : null,
    status,
    error: failure ? { code: errorCode(failure), message: failure.message } : null,
    incomplete_details: status === "incomplete" ? { reason: incompleteReason(finish) } : null,
    model: served.model,
    output,
    ...asked(served),
    service_tier: openaiTier(servedTier) ?? "default",
    usage: usage ? encodeUsage(usage) : null,
  };
}

/** An upstream's own object under our id and the model that served, with the members that some upstreams leave out. */
export function completedObject(served: ServedContext, own: JsonRecord): Record<string, unknown> {
  const { kept } = served;
  const completed = own["status"] === "completed";
  const always = {
    ...{ error: null, incomplete_details: null, output: [], service_tier: "default", usage: null },
    completed_at: completed ? (served.now?.() ?? served.created) : null,
  };
  const ours = kept && { store: true, previous_response_id: kept.previous ?? null };
  return { ...asked(served), ...always, ...own, ...ours, id: served.id, model: served.model };
}

export function endStatus(finish: FinishReason | undefined): "completed" | "incomplete" {
  return finish?.unified === "length" || finish?.unified === "content-filter" ? "incomplete" : "completed";
}

function incompleteReason(finish: FinishReason | undefined): string {
  return finish?.unified === "content-filter" ? "content_filter" : "max_output_tokens";
}

/** The closed set of codes for the object's own `error`; the precise code is in the `error` event beside it. */
function errorCode({ class: failureClass }: Failure): string {
  switch (failureClass) {
    case "capacity_shed":
      return "rate_limit_exceeded";
    case "bad_request":
    case "content_filter":
    case "invariant_violation":
      return "invalid_prompt";
    default:
      return "server_error";
  }
}

/** Returns the repeated request. Nothing runs in the background here, whatever the request asks for. */
function asked({ asked: request, kept }: ServedContext): Record<string, unknown> {
  const body = request?.native?.dialect === "openai-responses" ? request.native.body : {};
  const repeated = Object.entries(REPEATED).map(([field, absent]) => [field, body[field] ?? absent]);
  return {
    ...Object.fromEntries(repeated),
    background: false,
    metadata: recordAt(body, "metadata") ?? {},
    reasoning: { effort: null, summary: null, ...recordAt(body, "reasoning") },
    store: kept !== undefined,
    ...(kept && { previous_response_id: kept.previous ?? null }),
    text: { ...recordAt(body, "text"), format: recordAt(recordAt(body, "text"), "format") ?? { type: "text" } },
    tools: (arrayAt(body, "tools") ?? []).map(tool),
    ...(typeof body["user"] === "string" ? { user: body["user"] } : {}),
  };
}

/** A function states whether it is strict and its parameters, even where the request did not. */
function tool(given: unknown): unknown {
  return isRecord(given) && given["type"] === "function"
    ? { ...given, parameters: given["parameters"] ?? null, strict: given["strict"] ?? false }
    : given;
}
