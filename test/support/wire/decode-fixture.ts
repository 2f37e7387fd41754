/** Takes an error through the dialect its provider speaks, as the engine does. */
import { classify } from "../../../src/failure/classify.ts";
import type { Failure } from "../../../src/failure/failure.ts";
import type { ProviderError } from "../../../src/failure/provider-error.ts";
import * as anthropic from "../../../src/wire/anthropic-messages/error.ts";
import * as gemini from "../../../src/wire/gemini/error.ts";
import * as chat from "../../../src/wire/openai-chat/error.ts";

export interface RawError {
  readonly provider: string;
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export function decoded({ provider, status, body, headers }: RawError, now = 0): ProviderError {
  const dialect = provider === "anthropic" ? anthropic : provider === "gemini" ? gemini : chat;
  if (status < 300) return dialect.decodeErrorObject(body, { provider });
  const text = typeof body === "string" ? body : body === null || body === undefined ? "" : JSON.stringify(body);
  return dialect.decodeError(status, new Headers(headers), text, { provider }, now);
}

export function judged(raw: RawError, now = 0): Failure {
  return classify(decoded(raw, now));
}
