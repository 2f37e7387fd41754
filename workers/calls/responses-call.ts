import { openaiResponsesIngress } from "../../src/wire/openai-responses/index.ts";
import { readJsonBody } from "../http/limits.ts";
import type { Caller } from "./call-access.ts";
import { answerChat } from "./chat-call.ts";

/** `POST /v1/responses`. Without `responses_store` nothing is kept: the whole input travels in every request. */
export async function serveResponses(caller: Caller, raw: Request): Promise<Response> {
  const { limits, responsesStore } = caller.runtime.config;
  const asked = { body: await readJsonBody(raw, limits), headers: raw.headers };
  if (!responsesStore) return await answerChat(caller, asked, openaiResponsesIngress);
  const { continueResponse } = await import("../endpoints/responses/continue-response.ts");
  const { body, keep } = await continueResponse(caller, asked.body, responsesStore);
  return await answerChat(caller, { ...asked, body }, openaiResponsesIngress, keep);
}
