/** Body of our own `POST /v1/embeddings` → neutral form, and back. */
import { err, failure, ok, type Result } from "../../failure/failure.ts";
import type { JsonRecord } from "../../json/record.ts";
import type { Usage } from "../../money/usage.ts";
import type { EmbeddingList, EmbeddingRequest } from "../embedding.ts";
import { filledString, given, InvalidField, oneOf, optionalInteger, requiredArray } from "./ingress-fields.ts";

/** OpenAI's own ceiling. */
const MOST_INPUTS = 2_048;

export function decodeEmbeddingRequest(
  body: JsonRecord,
): Result<{ readonly model: string; readonly request: EmbeddingRequest }> {
  try {
    const model = filledString(body["model"], "model");
    const format = given(body, "encoding_format");
    return ok({
      model,
      request: {
        inputs: inputsOf(body["input"]),
        dimensions: optionalInteger(body, "dimensions", 1),
        encoding: format === undefined ? "float" : oneOf(format, ["float", "base64"] as const, "encoding_format"),
        body,
      },
    });
  } catch (error) {
    if (!(error instanceof InvalidField)) throw error;
    return err(failure("bad_request", error.message, { param: error.param }));
  }
}

/** A text, the tokens of one, or a list of either. */
function inputsOf(input: unknown): EmbeddingRequest["inputs"] {
  if (typeof input === "string") return [filledString(input, "input")];
  const list = requiredArray(input, "input");
  if (list.length === 0 || list.length > MOST_INPUTS) {
    throw new InvalidField("input", `input must hold from 1 to ${MOST_INPUTS} texts`);
  }
  if (isTokens(list)) return [list];
  return list.map((entry, index) => {
    if (isTokens(entry) && entry.length > 0) return entry;
    return filledString(entry, `input[${index}]`);
  });
}

function isTokens(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every((token) => Number.isSafeInteger(token) && token >= 0);
}

export function encodeEmbeddingAnswer(
  vectors: EmbeddingList["vectors"],
  model: string,
  usage: Usage | undefined,
): Record<string, unknown> {
  const tokens = usage?.input.total;
  return {
    object: "list",
    data: vectors.map((embedding, index) => ({ object: "embedding", index, embedding })),
    model,
    ...(tokens === undefined ? {} : { usage: { prompt_tokens: tokens, total_tokens: tokens } }),
  };
}
