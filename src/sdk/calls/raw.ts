/** `rig.runRaw`: one model, messages as given, outside any route. */
import type { JsonSchema } from "../../wire/chat.ts";
import type { MarkOptions, Marks } from "../marks.ts";
import type { RawCall } from "./call-host.ts";

export interface RawOptions extends MarkOptions {
  readonly provider: string;
  readonly model: string;
  /** Messages of the OpenAI chat API, on whatever provider: text, images, tool calls and results. */
  readonly messages: readonly RawMessage[];
  /**
   * JSON Schema of the answer. The provider must enforce it: one that is not known to is refused with
   * `invariant_violation` before anything is sent.
   */
  readonly responseSchema?: Readonly<Record<string, unknown>> | undefined;
  readonly maxTokens?: number | undefined;
  readonly temperature?: number | undefined;
  /** Further fields of an OpenAI chat request (`tools`, `reasoning_effort`, `service_tier`, …). */
  readonly request?: Readonly<Record<string, unknown>> | undefined;
  readonly arm?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface RawMessage {
  readonly role: "system" | "developer" | "user" | "assistant" | "tool";
  readonly content?: string | readonly Readonly<Record<string, unknown>>[] | null | undefined;
  readonly [field: string]: unknown;
}

export function rawCall(options: RawOptions, marks: Marks): RawCall {
  const { provider, model, messages, responseSchema: schema, maxTokens, temperature, request, arm, signal } = options;
  return {
    target: { provider, model },
    body: {
      ...request,
      messages,
      ...(maxTokens === undefined ? {} : { max_completion_tokens: maxTokens }),
      ...(temperature === undefined ? {} : { temperature }),
      ...(schema === undefined ? {} : { response_format: formatOf(schema) }),
    },
    ...{ schema, marks, arm, signal },
  };
}

function formatOf(schema: JsonSchema) {
  return { type: "json_schema", json_schema: { name: "answer", strict: true, schema } };
}
