/** Turns a reference body into what one upstream takes, by its quirks. */
import { type Failure, failure } from "../../failure/failure.ts";
import { isRecord, type JsonRecord } from "../../json/record.ts";
import type { ChatRequest } from "../chat.ts";
import type { DroppedField, WireTarget } from "../dialect.ts";

type Body = Record<string, unknown>;

/** Refused by reasoning models unless they are told not to reason. */
export const SAMPLING_FIELDS = [
  "temperature",
  "top_p",
  "presence_penalty",
  "frequency_penalty",
  "logprobs",
  "top_logprobs",
  "logit_bias",
] as const;

/** Without these the caller would get another kind of answer than asked for: a refusal is honest, an omission is not. */
const ESSENTIAL: ReadonlySet<string> = new Set(["messages", "tools", "functions", "response_format"]);

/** Changes `body` in place: leaves out, renames, adds. Returns the failure of a request that cannot do without a field. */
export function applyQuirks(
  body: Body,
  request: ChatRequest,
  target: WireTarget,
  dropped: DroppedField[],
): Failure | undefined {
  const { omit, rename, extraBody, extraBodyWithSchema } = target.quirks;
  for (const field of omit ?? []) {
    if (body[field] === undefined) continue;
    if (
      ESSENTIAL.has(field) ||
      (field === "n" && (request.choices ?? 1) > 1) ||
      (field === "logprobs" && request.logprobs)
    )
      return refusal(field, target);
    const meansNothing = field === "n";
    if (!meansNothing) dropped.push({ field, why: `${target.provider} refuses it` });
    delete body[field];
  }
  for (const [field, name] of Object.entries(rename ?? {})) {
    if (body[field] === undefined) continue;
    body[name] = body[field];
    delete body[field];
  }
  if (extraBody) Object.assign(body, merged(body, extraBody));
  if (extraBodyWithSchema && request.responseFormat?.type === "json_schema") {
    Object.assign(body, merged(body, extraBodyWithSchema));
  }
  return undefined;
}

function refusal(field: string, target: WireTarget): Failure {
  return failure(
    "bad_request",
    `${target.provider} does not take ${field}, and the answer would not be the same without`,
    {
      reason: "unsupported_parameter",
      param: field,
    },
  );
}

/** `over` wins; objects are joined member by member, so that a client's own routing preferences stay. */
function merged(under: JsonRecord, over: JsonRecord): Body {
  const result: Body = { ...under };
  for (const [key, value] of Object.entries(over)) {
    const below = result[key];
    result[key] = isRecord(value) && isRecord(below) ? merged(below, value) : value;
  }
  return result;
}
