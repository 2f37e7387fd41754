import { arrayAt, isRecord, type JsonRecord, recordAt, stringAt } from "../../json/record.ts";
import { readExchange, requestParameters, statusIn, textTags, unwrapped } from "./exchange-reading.ts";
import { type ImportFormat, passedEntry, refusedEntry } from "./imported-call.ts";

/** Observations as Langfuse exports them, alone, in a page of its API (`data`), or inside their trace (`observations`). */
export const langfuse: ImportFormat = {
  name: "langfuse",
  recognises: (entry) =>
    "traceId" in entry ||
    "trace_id" in entry ||
    "observations" in entry ||
    stringAt(entry, "type") === "GENERATION" ||
    arrayAt(entry, "data")?.some((one) => isRecord(one) && ("traceId" in one || "observations" in one)) === true,
  unfold(entry) {
    const page = arrayAt(entry, "data");
    if (page) return page.flatMap((one) => (isRecord(one) ? (observationsOf(one) ?? [one]) : [one]));
    return observationsOf(entry);
  },
  read(entry) {
    const type = stringAt(entry, "type");
    if (type !== undefined && type !== "GENERATION")
      return passedEntry(`a ${type.toLowerCase()} is no call of a model`);
    const asked = requestOf(unwrapped(entry["input"]));
    if (asked === undefined) return refusedEntry("its input holds no messages and no text");
    const model = stringAt(entry, "model") ?? stringAt(entry, "providedModelName");
    const parameters = requestParameters(unwrapped(entry["modelParameters"] ?? entry["model_parameters"]));
    const exchange = {
      path: "/v1/chat/completions",
      request: { ...parameters, ...asked, ...(model === undefined ? {} : { model }) },
      at: entry["startTime"] ?? entry["start_time"] ?? entry["timestamp"],
      tags: {
        ...textTags(unwrapped(entry["metadata"])),
        ...textTags({
          user: entry["userId"],
          session: entry["sessionId"],
          trace: entry["traceId"] ?? entry["trace_id"],
        }),
      },
    };
    const message = stringAt(entry, "statusMessage") ?? stringAt(entry, "status_message") ?? "";
    if (stringAt(entry, "level") === "ERROR") {
      return readExchange({ ...exchange, error: { status: statusIn(message), message } });
    }
    const output = unwrapped(entry["output"]);
    const text = textOf(output);
    return readExchange({ ...exchange, ...(text === undefined ? { answer: output } : { output: text }) });
  },
};

/** With the user and the session of their trace. */
function observationsOf(trace: JsonRecord): readonly unknown[] | undefined {
  const { userId, sessionId } = trace;
  return arrayAt(trace, "observations")?.map((one) => (isRecord(one) ? { userId, sessionId, ...one } : one));
}

function requestOf(input: unknown): JsonRecord | undefined {
  if (typeof input === "string") return input === "" ? undefined : { messages: [{ role: "user", content: input }] };
  if (Array.isArray(input)) return input.length === 0 ? undefined : { messages: input.map(withRole) };
  if (!isRecord(input)) return undefined;
  const messages = arrayAt(input, "messages");
  const system = stringAt(input, "system");
  const before = system === undefined ? [] : [{ role: "system", content: system }];
  if (messages) return { ...requestParameters(input), messages: [...before, ...messages.map(withRole)] };
  return stringAt(input, "prompt") === undefined
    ? undefined
    : { messages: [{ role: "user", content: input["prompt"] }] };
}

/** LangChain's names of roles. */
const ROLES: Readonly<Record<string, string>> = { human: "user", ai: "assistant", system: "system", tool: "tool" };

function withRole(message: unknown): unknown {
  const role = ROLES[stringAt(message, "type") ?? ""];
  if (!isRecord(message) || "role" in message || role === undefined) return message;
  return { role, content: message["content"] };
}

/** The text of an answer that was kept as text or as a message; undefined for whole answers of a provider. */
function textOf(output: unknown): string | undefined {
  if (typeof output === "string") return output;
  const message = Array.isArray(output) && output.length === 1 ? (output[0] as unknown) : output;
  const kept = recordAt(message, "message") ?? message;
  if (stringAt(kept, "role") === undefined && stringAt(message, "completion") === undefined) {
    const chosen = isRecord(message) && ["choices", "object", "type"].some((name) => name in message);
    return isRecord(message) && !chosen ? JSON.stringify(message) : undefined;
  }
  if (stringAt(kept, "type") === "message") return undefined;
  const content = isRecord(kept) ? (kept["content"] ?? kept["completion"]) : undefined;
  if (typeof content === "string") return content;
  const texts = Array.isArray(content) ? content.map((part: unknown) => stringAt(part, "text") ?? "") : [];
  return texts.join("");
}
