/** `embedContent` for one text, `batchEmbedContents` for several. */
import { classify } from "../../failure/classify.ts";
import { err, failure, ok, type Result } from "../../failure/failure.ts";
import { arrayAt, isRecord, numberAt, recordAt } from "../../json/record.ts";
import { estimateTokens } from "../../money/estimate.ts";
import type { EncodedRequest, WireTarget } from "../dialect.ts";
import {
  type EmbeddingDialect,
  type EmbeddingList,
  type EmbeddingRequest,
  embeddingUsage,
  vectorIn,
} from "../embedding.ts";
import { malformed } from "../unfinished.ts";
import { decodeErrorObject } from "./error.ts";

export const geminiEmbeddings: EmbeddingDialect = { encodeRequest, decodeAnswer };

/** Fields of the client's body that have a place here. */
const CARRIED = new Set(["model", "input", "dimensions", "encoding_format"]);

function encodeRequest(request: EmbeddingRequest, target: WireTarget): Result<EncodedRequest> {
  const texts = request.inputs.filter((input) => typeof input === "string");
  if (texts.length < request.inputs.length) {
    return err(
      failure("bad_request", "Gemini embeds text, not token ids", { reason: "unsupported_parameter", param: "input" }),
    );
  }
  const size = request.dimensions === undefined ? {} : { outputDimensionality: request.dimensions };
  const requests = texts.map((text) => ({ model: `models/${target.model}`, content: { parts: [{ text }] }, ...size }));
  const [only] = requests;
  const single = only !== undefined && requests.length === 1;
  return ok({
    path: `/models/${encodeURIComponent(target.model)}:${single ? "embedContent" : "batchEmbedContents"}`,
    headers: {},
    body: single ? only : { requests },
    dropped: Object.keys(request.body)
      .filter((field) => !CARRIED.has(field))
      .map((field) => ({ field, why: "not part of embedContent" })),
  });
}

function decodeAnswer(body: unknown, request: EmbeddingRequest, target: WireTarget): Result<EmbeddingList> {
  if (recordAt(body, "error")) return err(classify(decodeErrorObject(body, target)));
  const single = recordAt(body, "embedding");
  const vectors = (single ? [single] : (arrayAt(body, "embeddings") ?? [])).map((entry) => arrayAt(entry, "values"));
  if (vectors.length !== request.inputs.length || !vectors.every(isVector)) {
    return err(malformed("the answer does not hold one vector per input"));
  }
  const encoded = vectors.map((vector) => vectorIn(request.encoding, vector) ?? vector);
  return ok({ vectors: encoded, usage: usageOf(body, request) });
}

function isVector(vector: readonly unknown[] | undefined): vector is readonly number[] {
  return vector !== undefined && vector.length > 0 && vector.every((value) => typeof value === "number");
}

/** Older embedding models report no counts. */
function usageOf(body: unknown, { inputs }: EmbeddingRequest) {
  const usage = isRecord(body) ? recordAt(body, "usageMetadata") : undefined;
  const tokens = numberAt(usage, "promptTokenCount") ?? numberAt(usage, "totalTokenCount");
  if (tokens !== undefined) return embeddingUsage(tokens, usage);
  const bytes = inputs.reduce((sum, input) => sum + new TextEncoder().encode(String(input)).byteLength, 0);
  return embeddingUsage(estimateTokens(bytes), usage, true);
}
