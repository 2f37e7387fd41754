/** Request parameters as written in YAML, and how narrower ones are merged over wider ones. */
import type { ReasoningOptions } from "../wire/chat.ts";
import type { ParamsDraft, ReasoningDraft } from "./bundle-shape.ts";
import type { CandidateParams } from "./route.ts";

export function paramsOf(draft: ParamsDraft | undefined): CandidateParams {
  if (!draft) return {};
  const { stop, reasoning, ...rest } = draft;
  return {
    ...rest,
    ...(stop === undefined ? {} : { stop: typeof stop === "string" ? [stop] : stop }),
    ...(reasoning === undefined ? {} : { reasoning: reasoningOf(reasoning) }),
  };
}

export function reasoningOf({ budget_tokens, ...rest }: ReasoningDraft): ReasoningOptions {
  return { ...rest, ...(budget_tokens === undefined ? {} : { budgetTokens: budget_tokens }) };
}

/**
 * Merges key by key; `reasoning` and `extra` are merged one level deep, so that a variant may change only the effort.
 */
export function mergeParams(
  wide: CandidateParams,
  ...narrower: readonly (CandidateParams | undefined)[]
): CandidateParams {
  let merged = wide;
  for (const params of narrower) {
    if (!params) continue;
    const reasoning = { ...merged.reasoning, ...params.reasoning };
    const extra = { ...merged.extra, ...params.extra };
    merged = {
      ...merged,
      ...params,
      ...(Object.keys(reasoning).length > 0 ? { reasoning } : {}),
      ...(Object.keys(extra).length > 0 ? { extra } : {}),
    };
  }
  return merged;
}
