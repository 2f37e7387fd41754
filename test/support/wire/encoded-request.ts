/** A client's request as an upstream gets it: decoded from the client's dialect, encoded for a model of the provider table. */

import type { ProviderSpec } from "../../../src/provider/provider.ts";
import { providerTable } from "../../../src/provider/table.ts";
import { anthropicMessagesIngress } from "../../../src/wire/anthropic-messages/index.ts";
import type { ChatRequest, DialectName } from "../../../src/wire/chat.ts";
import type { DroppedField, IngressDialect, WireTarget } from "../../../src/wire/dialect.ts";
import { upstreamDialect } from "../../../src/wire/dialects.ts";
import { openaiChatIngress } from "../../../src/wire/openai-chat/index.ts";
import { openaiResponsesIngress } from "../../../src/wire/openai-responses/index.ts";

export type ClientDialect = Exclude<DialectName, "gemini">;

export const CLIENTS: Readonly<Record<ClientDialect, IngressDialect>> = {
  "openai-chat": openaiChatIngress,
  "openai-responses": openaiResponsesIngress,
  "anthropic-messages": anthropicMessagesIngress,
};

/** One provider more than the built-in ones for each dialect, as a configuration file would declare it. */
const custom = (name: string, dialect: DialectName): ProviderSpec => ({
  name,
  dialect,
  baseUrl: "https://up.example",
  capabilities: {},
  quirks: {},
  models: {},
});

const TABLE = providerTable({
  providers: [
    custom("chat", "openai-chat"),
    custom("responses", "openai-responses"),
    custom("messages", "anthropic-messages"),
    custom("google", "gemini"),
  ],
});

export function targetOf(provider: string, model: string): WireTarget & { readonly dialect: DialectName } {
  const row = TABLE.find(provider);
  const spec = TABLE.model(provider, model);
  if (!row || !spec) throw new Error(`no provider ${provider}`);
  return { provider, model, quirks: row.quirks, maxOutput: spec.maxOutput, facts: spec.facts, dialect: row.dialect };
}

export type Encoded =
  | {
      readonly ok: true;
      readonly request: ChatRequest;
      readonly path: string;
      // biome-ignore lint/suspicious/noExplicitAny: bodies are compared as the upstream's JSON
      readonly body: any;
      readonly dropped: readonly DroppedField[];
      readonly fields: readonly string[];
    }
  | { readonly ok: false; readonly param: string | undefined; readonly message: string };

/** `provider/model` names the target. Bodies are as they would arrive: parsed from their JSON text. */
export function encodedFor(client: ClientDialect, body: Readonly<Record<string, unknown>>, candidate: string): Encoded {
  const slash = candidate.indexOf("/");
  const target = targetOf(candidate.slice(0, slash), candidate.slice(slash + 1));
  const decoded = CLIENTS[client].decodeRequest(body);
  if (!decoded.ok) return { ok: false, param: decoded.error.param, message: decoded.error.message };
  const { request } = decoded.value;
  const encoded = upstreamDialect(target.dialect).encodeRequest(request, target);
  if (!encoded.ok) return { ok: false, param: encoded.error.param, message: encoded.error.message };
  const { dropped, path } = encoded.value;
  const fields = [...new Set(dropped.map(({ field }) => field))].sort();
  return { ok: true, request, path, body: JSON.parse(JSON.stringify(encoded.value.body)), dropped, fields };
}

/** The same where a refusal would be a fault of the test. */
export function sentTo(...asked: Parameters<typeof encodedFor>): Extract<Encoded, { ok: true }> {
  const encoded = encodedFor(...asked);
  if (!encoded.ok) throw new Error(`${encoded.param}: ${encoded.message}`);
  return encoded;
}
