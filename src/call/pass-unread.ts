/** Which streams pass from the upstream to the client as they are, while a copy is read for the record. */
import type { DialectName } from "../wire/chat.ts";
import type { AttemptPlan } from "./attempt.ts";
import type { CallInput, OutputRule } from "./call.ts";

export type ReadFor =
  | "host"
  | "dialect"
  | "schema"
  | "validated"
  | "usage"
  | "keep_alive"
  | "kept_answer"
  | "client_tools"
  | "provider";

/** Dialects whose streams name their answer in a way that a client need not give back as an id of ours. */
const PASSING: ReadonlySet<DialectName> = new Set(["openai-chat", "anthropic-messages"]);

/** Returns why every event of the stream must be read; undefined where its bytes may pass as they are. */
export function whyRead(
  { exchange, request }: Pick<AttemptPlan, "exchange" | "request">,
  { client, policy, dialectOf }: Pick<CallInput, "client" | "policy" | "dialectOf">,
  rule: OutputRule | undefined,
): ReadFor | undefined {
  if (!client) return "host";
  const { provider, target } = exchange;
  const sameDialect = client.dialect === provider.dialect && request.native?.dialect === provider.dialect;
  if (!sameDialect || dialectOf !== undefined || !PASSING.has(client.dialect)) return "dialect";
  if (rule !== undefined) return "schema";
  if (policy.stream !== "live") return "validated";
  if (!client.takesUsage) return "usage";
  if (client.keepAlive) return "keep_alive";
  if (client.kept) return "kept_answer";
  if (target.clientTools !== undefined && target.clientTools.size > 0) return "client_tools";
  // An exact count of what was streamed, where that is what a left stream costs, needs every event.
  const exact = provider.exactStreams === true && provider.simulated !== true;
  return exact && provider.stopsBillingOnDisconnect === undefined ? undefined : "provider";
}
