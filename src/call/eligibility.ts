/** Decides which declared candidates can take this request, and why the others cannot. */
import type { ModelCapabilities, ModelSpec, ProviderSpec } from "../provider/provider.ts";
import type { MeasuredCapability } from "../registry/capability.ts";
import { measuredCapabilities, satisfies } from "../registry/satisfies.ts";
import type { Candidate } from "../route/route.ts";
import type { ChatRequest } from "../wire/chat.ts";
import type { CallPolicy } from "./call.ts";
import type { Skip } from "./inference.ts";
import type { CallPorts } from "./ports.ts";
import { needsOf } from "./request-shape.ts";

/** A candidate with its provider row, model facts and capabilities. */
export interface Contender {
  readonly candidate: Candidate;
  readonly provider: ProviderSpec;
  readonly model: ModelSpec | undefined;
  /** Declared capabilities, with measured ones merged over them. */
  readonly capabilities: ModelCapabilities;
  readonly measured: readonly MeasuredCapability[];
  readonly apiKey: string | undefined;
}

/** Checks facts that do not depend on the request: trial, provider row, key, predicates. */
export function contenderOf(candidate: Candidate, policy: CallPolicy, ports: CallPorts): Contender | Skip {
  const skip = (why: Skip["why"], detail: string): Skip => ({ candidate: candidate.key, why, detail });
  if (candidate.trial && !policy.allowTrial)
    return skip("trial", "declared as trial: served only in replay and bake-offs");
  const provider = ports.providers.find(candidate.provider);
  if (!provider) return skip("unknown_provider", `provider ${candidate.provider} is neither built in nor declared`);
  if (provider.simulated && !ports.sim) return skip("sim_disabled", "the simulated provider is off here");
  const apiKey = provider.apiKeyEnv === undefined ? undefined : ports.secret(provider.apiKeyEnv);
  if (provider.apiKeyEnv !== undefined && apiKey === undefined)
    return skip("missing_key", `secret ${provider.apiKeyEnv} is not set`);
  const model = ports.providers.model(candidate.provider, candidate.model);
  const measured = ports.registry.find(candidate.provider, candidate.model);
  const capabilities = { ...provider.capabilities, ...model?.capabilities, ...measuredCapabilities(measured) };
  const lacking = policy.require.find((predicate) => !satisfies(predicate, capabilities, measured));
  if (lacking) return skip("predicate", `does not satisfy ${lacking}`);
  return { candidate, provider, model, capabilities, measured, apiKey };
}

/**
 * On average no tokenizer packs more than about six characters into a token, so this is a lower bound of the tokens.
 */
const MOST_CHARACTERS_PER_TOKEN = 6;

/** Checks facts of this request: media, tools, and a prompt that certainly does not fit. */
export function refusesRequest(contender: Contender, request: ChatRequest): Skip | undefined {
  const { candidate, capabilities, model } = contender;
  const needs = needsOf(request);
  const skip = (why: Skip["why"], detail: string): Skip => ({ candidate: candidate.key, why, detail });
  if (needs.images && capabilities.vision === false) return skip("capability", "cannot read images");
  if (needs.tools && capabilities.tools === false) return skip("capability", "cannot call tools");
  const atLeast = Math.floor(needs.textLength / MOST_CHARACTERS_PER_TOKEN);
  if (model?.contextWindow !== undefined && atLeast > model.contextWindow) {
    return skip("context_window", `at least ${atLeast} tokens do not fit a window of ${model.contextWindow}`);
  }
  return undefined;
}

/** After a context-length failure, only a candidate with a window known to be larger is tried. */
export function hasLargerWindow(next: Contender, overflowed: Contender): boolean {
  const window = next.model?.contextWindow;
  if (window === undefined) return false;
  return overflowed.model?.contextWindow === undefined || window > overflowed.model.contextWindow;
}
