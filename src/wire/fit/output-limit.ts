import type { ChatRequest } from "../chat.ts";
import type { DroppedField, WireTarget } from "../dialect.ts";

/** The request with an output limit that the model takes: one above its known maximum is lowered and named. */
export function withinModel(
  request: ChatRequest,
  { model, maxOutput, facts }: WireTarget,
): { readonly request: ChatRequest; readonly dropped: readonly DroppedField[] } {
  const asked = request.maxOutputTokens;
  if (asked === undefined || maxOutput === undefined || asked <= maxOutput || facts?.maxOutputAssumed)
    return { request, dropped: [] };
  return {
    request: { ...request, maxOutputTokens: maxOutput },
    dropped: [{ field: "max_tokens", why: `sent as ${maxOutput}, the most ${model} puts out` }],
  };
}
