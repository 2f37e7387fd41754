/** `POST /embeddings` of OpenAI and of upstreams compatible with it. */
import { err, ok, type Result } from "../../failure/failure.ts";
import { arrayAt, isRecord, numberAt, recordAt } from "../../json/record.ts";
import type { DroppedField, EncodedRequest, WireTarget } from "../dialect.ts";
import {
  type EmbeddingDialect,
  type EmbeddingList,
  type EmbeddingRequest,
  embeddingUsage,
  vectorIn,
} from "../embedding.ts";
import { malformed } from "../unfinished.ts";
import { errorInside } from "./response.ts";

export const openaiEmbeddings: EmbeddingDialect = { encodeRequest, decodeAnswer };

function encodeRequest({ body: given }: EmbeddingRequest, target: WireTarget): Result<EncodedRequest> {
  const body: Record<string, unknown> = { ...given, model: target.model };
  const dropped: DroppedField[] = [];
  for (const field of target.quirks.omit ?? []) {
    if (body[field] === undefined) continue;
    delete body[field];
    dropped.push({ field, why: `${target.provider} refuses it` });
  }
  return ok({ path: "/embeddings", headers: {}, body, dropped });
}

function decodeAnswer(body: unknown, request: EmbeddingRequest, target: WireTarget): Result<EmbeddingList> {
  const fault = errorInside(body, target);
  if (fault) return err(fault);
  const data = arrayAt(body, "data")?.filter(isRecord);
  if (data?.length !== request.inputs.length) return err(malformed("the answer does not hold one vector per input"));
  const vectors: (readonly number[] | string)[] = [];
  for (const [position, entry] of data.entries()) {
    const vector = vectorIn(request.encoding, entry["embedding"]);
    const index = numberAt(entry, "index") ?? position;
    if (vector === undefined) return err(malformed("an entry holds no vector"));
    if (index >= data.length || vectors[index] !== undefined) return err(malformed("the vectors are misnumbered"));
    vectors[index] = vector;
  }
  const usage = recordAt(body, "usage");
  const tokens = numberAt(usage, "prompt_tokens") ?? numberAt(usage, "total_tokens");
  return ok({ vectors, usage: tokens === undefined ? undefined : embeddingUsage(tokens, usage) });
}
