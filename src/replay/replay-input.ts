import type { ModelCapabilities } from "../provider/provider.ts";

/** What a call was asked: a template's variables, or the caller's own chat request. */
export type ReplayPayload =
  | { readonly kind: "variables"; readonly variables: Readonly<Record<string, unknown>> }
  /** An OpenAI chat request without `model`, `stream` and `stream_options`. */
  | { readonly kind: "messages"; readonly request: Readonly<Record<string, unknown>> };

/** One input to send through every arm of a bake-off. */
export interface ReplayInput {
  readonly id: string;
  /** Epoch milliseconds at which the input was first seen. */
  readonly at: number;
  readonly payload: ReplayPayload;
  /** How many captured calls asked the same; they are sent once and counted so often. Absent = 1. */
  readonly weight?: number | undefined;
  /** Run, or customer tag: inputs that share one are not independent. */
  readonly cluster?: string | undefined;
  /** Equal for inputs that ask the same, whenever they were recorded. Absent = told by `id`. */
  readonly item?: string | undefined;
  /** Output expected for it, of an eval case. */
  readonly golden?: unknown;
  /** What the candidate that first served it could do; kept for the record, replay asks the arm's own candidate. */
  readonly capabilities?: ModelCapabilities | undefined;
}
