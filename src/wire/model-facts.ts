/** What is known of one model's request fields. The provider rows state it per model family, with its source and date. */
import type { ReasoningEffort } from "./chat.ts";

/** How a model is told to think. */
type ThinkingForm =
  /** `thinking: { type: "enabled", budget_tokens }` (Anthropic), `thinkingBudget` (Gemini). */
  | "budget"
  /** `thinking: { type: "adaptive" }` with `output_config.effort` (Anthropic). */
  | "adaptive"
  /** `thinkingLevel` (Gemini). */
  | "level"
  /** `reasoning_effort`, `reasoning.effort` (OpenAI). */
  | "effort"
  /** The model does not think. */
  | "none";

/** A fact that is absent is not known, and the dialect's careful form is used. */
export interface ModelFacts {
  readonly thinking?: ThinkingForm | undefined;
  /** The effort words the model takes, from the least up. */
  readonly efforts?: readonly ReasoningEffort[] | undefined;
  /**
   * How thinking is switched off: by omitting it, by the `thinking.type` named here, or not at all (`never`), where the
   * least effort is used instead.
   */
  readonly thinkingOff?: "omit" | "disabled" | "between_tools" | "never" | undefined;
  /** Bounds of a thinking budget in tokens; 0 as the lower one means that thinking can be switched off. */
  readonly thinkingBudget?: readonly [least: number, most: number] | undefined;
  /**
   * `temperature`, `top_p` and the like: `any` of them, only `one` of temperature and top_p, only `without_thinking`, or
   * `none`.
   */
  readonly sampling?: "any" | "one" | "without_thinking" | "none" | undefined;
  /** False: a forced tool (`required`, or one by name) is refused. */
  readonly forcedTools?: boolean | undefined;
  /** The maximum output is a guess for a model not known yet: it fills in a missing limit and never lowers a given one. */
  readonly maxOutputAssumed?: boolean | undefined;
  /** A turn's first call must carry the signature of its thinking (Gemini). */
  readonly signsCalls?: boolean | undefined;
}
