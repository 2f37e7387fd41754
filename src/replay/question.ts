/** The identity of a question: equal for two calls that asked the same, at any time and through any template. */
import { isRecord } from "../json/record.ts";
import { canonicalHash } from "../route/canonical.ts";
import { renderedVariables } from "../route/render.ts";
import type { Route } from "../route/route.ts";
import type { ReplayPayload } from "./replay-payload.ts";

/** Fields of a chat request that say what is asked. Others say how, for whom, or at what price. */
const ASKING_FIELDS = ["messages", "tools", "tool_choice", "functions", "function_call", "response_format"] as const;

/**
 * SHA-256 of what is asked, 64 hex digits: the variables that a template of the route renders, or the messages with
 * their tools and format. Blanks at the ends of texts, the order of keys, ids of tool calls, cache marks and variables
 * that no template reads make no other question.
 */
export async function questionKey(
  payload: ReplayPayload,
  route: Pick<Route, "input" | "template" | "variants">,
): Promise<string> {
  const asked =
    payload.kind === "variables"
      ? { variables: normalised(renderedVariables(route, payload.variables)) }
      : askedBy(payload.request);
  return canonicalHash(asked);
}

function askedBy(request: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const callIds = new Map<string, string>();
  return Object.fromEntries(
    ASKING_FIELDS.filter((name) => isSaid(request[name])).map((name) => {
      const value = request[name];
      const isConversation = name === "messages" && Array.isArray(value);
      return [name, isConversation ? value.map((one) => askedMessage(one, callIds)) : normalised(value)];
    }),
  );
}

/** A text is a list of one text part; `developer` is how newer models spell `system`. */
function askedMessage(message: unknown, callIds: Map<string, string>): unknown {
  if (!isRecord(message)) return message;
  const { role, content, tool_call_id: answers, tool_calls: calls, ...rest } = message;
  return normalised({
    ...rest,
    role: role === "developer" ? "system" : role,
    content: typeof content === "string" ? [{ type: "text", text: content }] : content,
    tool_call_id: typeof answers === "string" ? ordinalOf(answers, callIds) : answers,
    tool_calls: Array.isArray(calls) ? calls.map((call: unknown) => askedToolCall(call, callIds)) : calls,
  });
}

/** Providers draw a new id for each call: what counts is which answer belongs to which. */
function askedToolCall(call: unknown, callIds: Map<string, string>): unknown {
  if (!isRecord(call) || typeof call["id"] !== "string") return call;
  return { ...call, id: ordinalOf(call["id"], callIds) };
}

function ordinalOf(id: string, callIds: Map<string, string>): string {
  const known = callIds.get(id) ?? `call ${callIds.size + 1}`;
  callIds.set(id, known);
  return known;
}

/** Drops what changes no question: absent values, cache marks, blanks at the ends of texts, the two spellings of é. */
function normalised(value: unknown): unknown {
  if (typeof value === "string") return value.normalize("NFC").replace(/\r\n?/g, "\n").trim();
  if (Array.isArray(value)) return value.map(normalised);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, member]) => name !== "cache_control" && isSaid(member))
      .map(([name, member]) => [name, normalised(member)]),
  );
}

function isSaid(value: unknown): boolean {
  return value !== undefined && value !== null;
}
