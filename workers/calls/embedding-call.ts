import { writtenTags } from "../../src/identity/authorize.ts";
import { vectorsOf } from "../../src/wire/embedding.ts";
import { embeddingDialect, hasEmbeddings } from "../../src/wire/embeddings.ts";
import { openaiChatIngress } from "../../src/wire/openai-chat/index.ts";
import { decodeEmbeddingRequest, encodeEmbeddingAnswer } from "../../src/wire/openai-chat/ingress-embedding.ts";
import { badRequest, HttpFault } from "../http/fault.ts";
import { readJsonBody } from "../http/limits.ts";
import { answerHeaders, failureResponse } from "./answer.ts";
import { type Caller, runCall } from "./call-access.ts";
import { callTarget } from "./call-target.ts";
import { requestMarks } from "./request-marks.ts";

/** `POST /v1/embeddings`: limited, priced and recorded like any call. */
export async function serveEmbeddings(caller: Caller, raw: Request): Promise<Response> {
  const decoded = decodeEmbeddingRequest(await readJsonBody(raw, caller.runtime.config.limits));
  if (!decoded.ok) throw new HttpFault(400, decoded.error);
  const { model, request } = decoded.value;
  const marks = requestMarks(raw.headers, undefined, writtenTags(caller.principal));
  const target = await callTarget(caller, model, {}, marks);
  requireEmbeddings(caller, target.policy.candidates, model);
  const result = await runCall(caller, {
    ...target,
    policy: { ...target.policy, output: undefined },
    // No text and no output: the worst case is the size of the body itself.
    requestFor: () => ({ messages: [], maxOutputTokens: 0, stream: false, includeUsage: false }),
    dialectOf: (name) => embeddingDialect(name, request),
    stream: false,
  });
  switch (result.type) {
    case "failure":
      return failureResponse(result, openaiChatIngress);
    case "answer": {
      const { answer, inference } = result;
      const body = encodeEmbeddingAnswer(vectorsOf(answer), inference.served?.model ?? model, answer.usage);
      return Response.json(body, { headers: answerHeaders(inference) });
    }
    case "stream":
      throw new Error("embeddings are never streamed");
  }
}

function requireEmbeddings(caller: Caller, candidates: readonly { readonly provider: string }[], model: string): void {
  const able = candidates.some(({ provider }) => {
    const row = caller.runtime.providers.find(provider);
    return row !== undefined && !row.simulated && hasEmbeddings(row.dialect);
  });
  if (!able) throw badRequest(`no provider behind ${model} has embeddings`, "unsupported_parameter", "model");
}
