import { isRecord, type JsonRecord, recordAt, stringAt } from "../../json/record.ts";
import { readExchange, requestParameters, statusIn, textTags, unwrapped } from "./exchange-reading.ts";
import { type ImportFormat, type ImportReading, passedEntry, refusedEntry } from "./imported-call.ts";

const CHAT = /^(a?(text_)?completion|a?responses|a?anthropic_messages|)$/;

/** What LiteLLM's loggers write per call (its standard logging payload), and rows of its spend logs. */
export const litellm: ImportFormat = {
  name: "litellm",
  recognises: (entry) => "call_type" in entry || "model_parameters" in entry || "custom_llm_provider" in entry,
  read(entry) {
    const type = stringAt(entry, "call_type") ?? "";
    if (!CHAT.test(type)) return passedEntry(`${type} is no chat call`);
    const asked = requestOf(entry);
    if (typeof asked === "string") return refusedEntry(asked);
    const exchange = {
      path: type.includes("responses") ? "/v1/responses" : type.includes("anthropic") ? "/v1/messages" : undefined,
      request: asked,
      provider: stringAt(entry, "custom_llm_provider"),
      at: entry["startTime"] ?? entry["start_time"],
      tags: tagsOf(entry),
    };
    if (stringAt(entry, "status") === "failure") return failed(exchange, entry);
    const answer = unwrapped(entry["response"]);
    return readExchange({
      ...exchange,
      ...(typeof answer === "string" ? { output: answer } : { answer: filled(answer) }),
    });
  },
};

/** The spend logs write `{}` where answers are not stored. */
const filled = (answer: unknown): unknown =>
  isRecord(answer) && Object.keys(answer).length === 0 ? undefined : answer;

function requestOf(entry: JsonRecord): JsonRecord | string {
  const parameters = requestParameters(unwrapped(entry["model_parameters"] ?? entry["optional_params"]));
  const proxied = unwrapped(entry["proxy_server_request"]);
  const body = recordAt(proxied, "body") ?? (isRecord(proxied) && "messages" in proxied ? proxied : undefined);
  const messages = filled(unwrapped(entry["messages"]));
  const model = stringAt(entry, "model");
  const named = model === undefined ? {} : { model };
  if (typeof messages === "string" && /redacted/i.test(messages))
    return "its messages were not logged (redacted by LiteLLM)";
  if (typeof messages === "string") return { ...parameters, ...named, messages: [{ role: "user", content: messages }] };
  if (Array.isArray(messages) && messages.length > 0) return { ...parameters, ...named, messages };
  if (isRecord(messages) && "messages" in messages) return { ...messages, ...named };
  return body === undefined ? "its messages were not logged" : { ...body, ...named };
}

function failed(exchange: Parameters<typeof readExchange>[0], entry: JsonRecord): ImportReading {
  const told = recordAt(entry, "error_information");
  const message = stringAt(told, "error_message") ?? stringAt(entry, "error_str") ?? "";
  const status = statusIn(stringAt(told, "error_code"));
  return readExchange({ ...exchange, error: { status, message } });
}

/** Tags of the request (`name:value` or `name=value`), the end user, and the team of the key. */
function tagsOf(entry: JsonRecord): Record<string, string> {
  const listed = unwrapped(entry["request_tags"]);
  const pairs = (Array.isArray(listed) ? listed : []).flatMap((one): [string, string][] => {
    const pair = /^([\w.-]{1,64})\s*[:=]\s*(.+)$/.exec(String(one));
    return pair ? [[pair[1] ?? "", pair[2] ?? ""]] : [[String(one), "yes"]];
  });
  const metadata = recordAt(entry, "metadata");
  const whose = { user: entry["end_user"], team: entry["team_id"] ?? metadata?.["user_api_key_team_alias"] };
  return { ...textTags(Object.fromEntries(pairs)), ...textTags(whose), ...textTags({ session: entry["session_id"] }) };
}
