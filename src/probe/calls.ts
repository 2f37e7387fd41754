/** The calls of one probe, and what an answer says about the model. */
import type { CallInput, CallPolicy, CallResult } from "../call/call.ts";
import type { EnvelopeClaim } from "../envelope/envelope.ts";
import type { FailureClass } from "../failure/failure.ts";
import { compileSchema } from "../json/schema/validate.ts";
import type { ProviderTable } from "../provider/provider.ts";
import type { ProbedCapability } from "../registry/capability.ts";
import { DEFAULT_RETRY, DEFAULT_TIMEOUTS } from "../route/defaults.ts";
import type { Candidate } from "../route/route.ts";
import type { AssistantPart, ChatRequest, JsonSchema } from "../wire/chat.ts";
import { probeTask } from "./tasks.ts";

export interface ProbeTarget {
  readonly provider: string;
  readonly model: string;
}

interface ProbePass {
  readonly id: string;
  readonly org: string;
  readonly claims: readonly EnvelopeClaim[];
}

/** A call that is over; probes are not streamed. */
export type Finished = Exclude<CallResult, { type: "stream" }>;

type ProbeVerdict =
  | { readonly type: "answered"; readonly passed: boolean }
  /** Nothing was learned of the model. */
  | { readonly type: "unanswered"; readonly class: FailureClass };

const MOST_OUTPUT = 1_200;
const TOOL = "report";
/** Repeats a paragraph until any provider's least cacheable prefix (1,024 to 4,096 tokens) is passed. */
const PREFIX_PARAGRAPHS = 220;

/** What a model is asked, in order; the last answer decides. Caching takes two: the first fills the cache. */
export function probeCalls(
  target: ProbeTarget,
  capability: ProbedCapability,
  index: number,
  pass: ProbePass,
): readonly CallInput[] {
  const candidate: Candidate = { key: `${target.provider}/${target.model}`, ...target, params: {}, trial: false };
  const request = requestFor(capability, index, pass.id);
  const input: CallInput = {
    context: { org: pass.org, lane: "probe", tags: { probe: pass.id }, step: capability },
    policy: policyFor(candidate, capability, index),
    budget: { claims: pass.claims },
    requestFor: () => request,
    stream: false,
    signal: new AbortController().signal,
  };
  return capability === "caching" ? [input, input] : [input];
}

/** One rung and no repair: what is measured is the model, not the ladder. Only outages are tried again. */
function policyFor(candidate: Candidate, capability: ProbedCapability, index: number): CallPolicy {
  const asksJson = capability === "native_strict" || capability === "json_object" || capability === "coached";
  return {
    candidates: [candidate],
    require: [],
    retry: { ...DEFAULT_RETRY, content_invalid: 0 },
    timeouts: DEFAULT_TIMEOUTS,
    output: asksJson ? { schema: probeTask(index).schema, name: TOOL, ladder: [capability] } : undefined,
    onContentFilter: "stop",
    allowUnpriced: false,
    allowTrial: true,
    stream: "validated",
  };
}

function requestFor(capability: ProbedCapability, index: number, id: string): ChatRequest {
  const { prompt, schema } = probeTask(index);
  const base = { maxOutputTokens: MOST_OUTPUT, stream: false, includeUsage: false } as const;
  const user = { role: "user", content: [{ type: "text", text: prompt }] } as const;
  switch (capability) {
    case "tools":
      return {
        ...base,
        messages: [user],
        tools: [{ type: "function", name: TOOL, description: "Files the report of a note.", parameters: schema }],
        toolChoice: "required",
      };
    case "caching": {
      const rule = "Read every note as it is written, report what it says, and add nothing of your own.";
      const prefix = `House rules of run ${id}, set ${index}.\n${Array(PREFIX_PARAGRAPHS).fill(rule).join("\n")}`;
      const system = { role: "system", content: [{ type: "text", text: prefix, cache: { ttl: "5m" } }] } as const;
      return { ...base, maxOutputTokens: 64, messages: [system, user] };
    }
    default:
      return { ...base, messages: [user] };
  }
}

export function verdictOn(capability: ProbedCapability, index: number, result: Finished): ProbeVerdict {
  if (result.type === "failure") {
    const { class: failureClass } = result.failure;
    // What the model answered was wrong, or its provider cannot do this at all; anything else tells of neither.
    const tells = failureClass === "content_invalid" || failureClass === "bad_request";
    return tells ? { type: "answered", passed: false } : { type: "unanswered", class: failureClass };
  }
  switch (capability) {
    case "tools":
      return { type: "answered", passed: callsOnce(result.answer.choices[0]?.content ?? [], probeTask(index).schema) };
    case "caching":
      return { type: "answered", passed: (result.answer.usage?.input.cacheRead ?? 0) > 0 };
    default:
      return { type: "answered", passed: result.inference.conformant === true };
  }
}

/** Exactly one call of the one tool, with arguments that fit its schema. */
function callsOnce(content: readonly AssistantPart[], schema: JsonSchema): boolean {
  const calls = content.filter((part) => part.type === "tool-call");
  const [call] = calls;
  if (!call || calls.length !== 1 || call.name !== TOOL) return false;
  const validator = compileSchema(schema);
  const parsed = jsonOf(call.arguments);
  return validator.ok && parsed !== undefined && validator.value(parsed.value).valid;
}

function jsonOf(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    // Arguments that are no JSON are what is being measured.
    return undefined;
  }
}

/** A table in which the target may be asked for anything: whether it can is the question. */
export function withoutDoubt(providers: ProviderTable, { provider, model }: ProbeTarget): ProviderTable {
  return {
    all: providers.all,
    find: (name) => providers.find(name),
    model(name, id) {
      const known = providers.model(name, id);
      if (!known || name !== provider || id !== model) return known;
      return { ...known, capabilities: { ...known.capabilities, native_strict: true, json_object: true, tools: true } };
    },
  };
}
