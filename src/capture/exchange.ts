/** Turns one exchange that passed the proxy into a capture, or into nothing. Pure. */

import { isRecord, type JsonRecord, stringAt } from "../json/record.ts";
import type { ModelCapabilities } from "../provider/provider.ts";
import type { ReplayPayload } from "../replay/replay-payload.ts";
import { resolveModelWord } from "../route/model-word.ts";
import { DEFAULT_VARIANT } from "../route/narrow.ts";
import type { IngressDialect } from "../wire/dialect.ts";
import { openaiChat } from "../wire/openai-chat/index.ts";
import { readAnswer } from "./answer-text.ts";
import type { Capture } from "./capture.ts";
import { chatIngress } from "./chat-endpoints.ts";

/** The client's request, as far as path and body show it. */
export interface ProxiedCall {
  readonly route: string;
  readonly variant: string | undefined;
  readonly payload: ReplayPayload;
  readonly tags: Readonly<Record<string, string>>;
}

interface ObservedResponse {
  readonly status: number;
  readonly header: (name: string) => string | undefined;
  readonly text: string;
}

/**
 * Failures of the caller, of a budget or of a rate limit: the input never reached a model, so there is nothing to
 * compare.
 */
export const NOT_AN_INPUT: ReadonlySet<string> = new Set([
  "bad_request",
  "auth",
  "invariant_violation",
  "budget_exhausted",
  "rate_limited",
  "no_candidate",
]);

/**
 * Reads a request to `/v1/run/:route` or to a chat endpoint; returns `undefined` for any other. `tagHeader` is
 * `x-modelrig-tags`; as at the gateway, it overrides `metadata` and is overridden by a body's `tags`.
 */
export function readCall(path: string, body: unknown, tagHeader: string | undefined): ProxiedCall | undefined {
  if (!isRecord(body)) return undefined;
  const headerTags = readTagHeader(tagHeader);
  const run = /^\/v1\/run\/([^/?#]+)\/?$/.exec(path);
  if (run) {
    const target = routeOf(percentDecoded(run[1] ?? ""));
    if (!target || !isRecord(body["input"])) return undefined;
    const variant = typeof body["variant"] === "string" ? body["variant"] : target.variant;
    return {
      route: target.route,
      variant,
      payload: { kind: "variables", variables: body["input"] },
      tags: { ...headerTags, ...textEntries(body["tags"]) },
    };
  }
  const target = typeof body["model"] === "string" && chatIngress(path) ? routeOf(body["model"]) : undefined;
  const asked = target && chatBody(path, body);
  if (!target || asked === undefined || typeof asked === "string") return undefined;
  return {
    route: target.route,
    variant: target.variant,
    payload: { kind: "messages", request: asked.request },
    tags: { ...textEntries(body["metadata"]), ...headerTags },
  };
}

export interface ChatBody {
  /** As the client wrote it. */
  readonly model: string | undefined;
  /** Messages and parameters as a chat completion request, whatever the client's dialect: replays use this form. */
  readonly request: JsonRecord;
}

/** Reads the body of a request to a chat endpoint; returns why where it cannot be replayed. */
export function chatBody(path: string, body: JsonRecord): ChatBody | string {
  const ingress = chatIngress(path);
  if (ingress === undefined) return `${path} is no chat endpoint`;
  const chat = ingress.name === "openai-chat" ? body : asChatBody(ingress, body);
  if (typeof chat === "string") return chat;
  const { model: _model, stream: _stream, stream_options: _options, ...request } = chat;
  return { model: stringAt(body, "model"), request };
}

function asChatBody(ingress: IngressDialect, body: JsonRecord): JsonRecord | string {
  // The model is the route's: what the body names decides nothing.
  const decoded = ingress.decodeRequest({ ...body, model: stringAt(body, "model") ?? "unknown" });
  if (!decoded.ok) return decoded.error.message;
  const target = { provider: "capture", model: decoded.value.model, quirks: {} };
  const encoded = openaiChat.encodeRequest(decoded.value.request, target);
  return encoded.ok ? encoded.value.body : encoded.error.message;
}

/** True for a replay, which must never become an input of the next one. */
export function isReplay(call: ProxiedCall): boolean {
  return Object.entries(call.tags).some(([key, value]) => key === "replay" || value.startsWith("replay:"));
}

export function captureOf(
  call: ProxiedCall,
  response: ObservedResponse,
  facts: {
    readonly id: string;
    readonly at: number;
    readonly capabilitiesOf: (served: string) => ModelCapabilities | undefined;
  },
): Capture | undefined {
  const answer = readAnswer(response.status, response.header("content-type") ?? "", response.text);
  if (!answer || NOT_AN_INPUT.has(answer.outcome)) return undefined;
  const served = response.header("x-modelrig-served");
  return {
    id: facts.id,
    at: facts.at,
    ...call,
    inferenceId: response.header("x-modelrig-inference-id"),
    output: answer.output,
    outcome: answer.outcome,
    served,
    capabilities: served === undefined ? undefined : facts.capabilitiesOf(served),
  };
}

function routeOf(word: string): { route: string; variant: string | undefined } | undefined {
  const target = resolveModelWord(word);
  if (!target.ok || target.value.type !== "route") return undefined;
  const { route, variant } = target.value;
  return { route, variant: variant === DEFAULT_VARIANT ? undefined : variant };
}

function readTagHeader(header: string | undefined): Record<string, string> {
  const pairs = (header ?? "").split(",").map((pair) => /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(pair));
  return Object.fromEntries(pairs.flatMap((pair) => (pair ? [[pair[1] ?? "", percentDecoded(pair[2] ?? "")]] : [])));
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function textEntries(value: unknown): Record<string, string> {
  if (!isRecord(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}
