/** What a client's request asked, as a chat request: the form that an eval case replays. */
import { parsedJson } from "../../json/parsed.ts";
import { isRecord } from "../../json/record.ts";
import { anthropicMessagesIngress } from "../../wire/anthropic-messages/index.ts";
import type { DialectName } from "../../wire/chat.ts";
import type { IngressDialect } from "../../wire/dialect.ts";
import { openaiChat } from "../../wire/openai-chat/index.ts";
import { openaiResponsesIngress } from "../../wire/openai-responses/index.ts";

const INGRESS: Partial<Record<DialectName, IngressDialect>> = {
  "anthropic-messages": anthropicMessagesIngress,
  "openai-responses": openaiResponsesIngress,
};

/** The body as it is where it cannot be read as a chat request; undefined where it is no JSON object. */
export function askedIn(body: string, dialect: DialectName, model: string): unknown {
  const request = parsedJson(body);
  if (!isRecord(request)) return undefined;
  const decoded = INGRESS[dialect]?.decodeRequest({ model, ...request });
  if (!decoded?.ok) return request;
  const chat = openaiChat.encodeRequest(decoded.value.request, { provider: "", model, quirks: {} });
  return chat.ok ? chat.value.body : request;
}
