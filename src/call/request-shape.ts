/** The caller's request in the form for one candidate, and its size. */
import type { Candidate } from "../route/route.ts";
import type { ChatRequest } from "../wire/chat.ts";

/** Adds the candidate's declared params where the request does not set them. */
export function withCandidateParams(
  request: ChatRequest,
  candidate: Candidate,
  serviceTier: string | undefined,
): ChatRequest {
  const { params } = candidate;
  return {
    ...request,
    temperature: request.temperature ?? params.temperature,
    maxOutputTokens: request.maxOutputTokens ?? params.max_tokens,
    topP: request.topP ?? params.top_p,
    seed: request.seed ?? params.seed,
    stop: request.stop ?? params.stop,
    reasoning: request.reasoning ?? params.reasoning,
    serviceTier: request.serviceTier ?? params.service_tier ?? serviceTier,
  };
}

/** Returns the request without its assistant prefill, or undefined where it has none. */
export function withoutPrefill(request: ChatRequest): ChatRequest | undefined {
  const last = request.messages.at(-1);
  if (last?.role !== "assistant" || last.content.some((part) => part.type === "tool-call")) return undefined;
  return { ...request, messages: request.messages.slice(0, -1), native: undefined };
}

/** Facts of a request that decide which candidates can take it and how large it is. */
interface RequestNeeds {
  readonly images: boolean;
  readonly tools: boolean;
  /** Characters of text in the messages. */
  readonly textLength: number;
  /** Bytes of base64 media, which are no measure of tokens. */
  readonly mediaBytes: number;
  readonly imageCount: number;
  readonly fileCount: number;
  readonly audioCount: number;
}

export function needsOf(request: ChatRequest): RequestNeeds {
  const count = { textLength: 0, mediaBytes: 0, imageCount: 0, fileCount: 0, audioCount: 0 };
  for (const message of request.messages) {
    for (const part of message.content) {
      if (part.type === "text") {
        count.textLength += part.text.length;
        continue;
      }
      if (part.type === "image") count.imageCount += 1;
      else if (part.type === "file") count.fileCount += 1;
      else if (part.type === "audio") count.audioCount += 1;
      else continue;
      count.mediaBytes += part.source.data?.length ?? 0;
    }
  }
  return { ...count, images: count.imageCount > 0, tools: (request.tools?.length ?? 0) > 0 };
}
