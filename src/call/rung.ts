/** The request side of the JSON ladder. Repairs of an answer are in `output.ts`. */
import { toStrictSubset } from "../json/strict/strict-subset.ts";
import type { ModelCapabilities } from "../provider/provider.ts";
import type { Rung, ServedRung } from "../route/route.ts";
import type { ChatRequest, DialectName } from "../wire/chat.ts";
import type { Quirks } from "../wire/dialect.ts";
import type { OutputRule } from "./call.ts";

type AskingRung = Extract<Rung, "native_strict" | "json_object" | "coached">;

/** Returns the rungs on which this candidate can be asked, in ladder order. Empty = it cannot serve the schema. */
export function askingRungs(rule: OutputRule, capabilities: ModelCapabilities): readonly AskingRung[] {
  return rule.ladder.filter(
    (rung): rung is AskingRung =>
      rung === "coached" ||
      (rung === "native_strict" && capabilities.native_strict === true) ||
      (rung === "json_object" && capabilities.json_object === true),
  );
}

/** The rule of JSON mode without a schema: the answer must be one object. */
const ANY_OBJECT: OutputRule = {
  schema: { type: "object" },
  name: "json_object",
  ladder: ["coached", "syntax_repair"],
};

/** Returns the rule for a JSON mode request at an API that has no JSON mode; undefined where the API enforces it. */
export function jsonRule(
  { responseFormat }: Pick<ChatRequest, "responseFormat">,
  dialect: DialectName,
  capabilities: ModelCapabilities,
): OutputRule | undefined {
  if (responseFormat?.type !== "json_object") return undefined;
  return dialect === "anthropic-messages" || capabilities.json_object === false ? ANY_OBJECT : undefined;
}

/** Returns the request for a rung. `none` leaves it unchanged. */
export function onRung(
  request: ChatRequest,
  rung: ServedRung,
  rule: OutputRule | undefined,
  quirks: Quirks,
): ChatRequest {
  if (rule === undefined || rung === "none") return request;
  switch (rung) {
    case "native_strict":
      // A raw call asks for its schema itself, so its request stays unchanged.
      if (request.responseFormat?.type === "json_schema" && request.responseFormat.schema === rule.schema)
        return request;
      return {
        ...request,
        responseFormat: { type: "json_schema", name: rule.name, schema: rule.schema, strict: true },
        ...(quirks.coachNativeSchema ? { instructions: coaching(rule) } : {}),
      };
    case "json_object":
      return { ...request, responseFormat: { type: "json_object" }, instructions: coaching(rule) };
    default:
      return { ...request, responseFormat: undefined, instructions: coaching(rule) };
  }
}

/**
 * True where answers on this rung must be changed afterwards (nulls for absent properties), so that a stream can only
 * be served whole.
 */
export function answersNeedChange(rung: ServedRung, rule: OutputRule | undefined, quirks: Quirks): boolean {
  if (rung !== "native_strict" || rule === undefined || quirks.schemaSubset === undefined) return false;
  const fitted = toStrictSubset(rule.schema, quirks.schemaSubset);
  return fitted.ok && fitted.value.nullsForAbsent;
}

/** Mentions JSON explicitly: some providers refuse JSON mode without the word in the prompt. */
function coaching(rule: OutputRule): string {
  return [
    "Answer with one JSON value and nothing else: no prose, no Markdown fence.",
    "It must conform to this JSON Schema:",
    JSON.stringify(rule.schema),
  ].join("\n");
}

/** Returns the paid request that asks the same candidate to repair its own answer. */
export function repairRequest(
  request: ChatRequest,
  rule: OutputRule,
  broken: { readonly text: string; readonly faults: readonly string[] },
): ChatRequest {
  return {
    messages: [
      {
        role: "system",
        content: [{ type: "text", text: `You repair JSON. Keep every fact, invent none.\n${coaching(rule)}` }],
      },
      {
        role: "user",
        content: [
          {
            type: "text",
            text: `This answer does not conform:\n${broken.faults.join("\n")}\n\nThe answer:\n${broken.text}`,
          },
        ],
      },
    ],
    maxOutputTokens: request.maxOutputTokens,
    reasoning: request.reasoning,
    serviceTier: request.serviceTier,
    stream: false,
    includeUsage: false,
  };
}
