import { isRecord, type JsonRecord, recordAt, stringAt } from "../../json/record.ts";
import { readExchange, unwrapped } from "./exchange-reading.ts";
import { type ImportFormat, refusedEntry } from "./imported-call.ts";

/**
 * Lines of chat completions: a request and its answer beside each other (`request`/`response`, `input`/`output`), or
 * messages whose last one is the assistant's answer, as in files for fine-tuning.
 */
export const openaiJsonl: ImportFormat = {
  name: "openai-jsonl",
  recognises: (entry) => requestOf(entry) !== undefined,
  read(entry) {
    const request = requestOf(entry);
    if (request === undefined) return refusedEntry("there are no messages, and no request or input that holds some");
    const answer = unwrapped(entry["response"] ?? entry["completion"] ?? entry["output"]);
    const path = stringAt(entry, "path") ?? stringAt(entry, "url");
    const own = entry["created_at"] ?? entry["created"] ?? entry["timestamp"] ?? entry["ts"];
    const at = own ?? (isRecord(answer) ? (answer["created"] ?? answer["created_at"]) : undefined);
    const beside = {
      path: apiPath(path),
      at,
      provider: stringAt(entry, "provider"),
      tags: recordAt(entry, "tags") ?? {},
    };
    if (answer === undefined) return readExchange({ ...withoutAnswer(request), ...beside });
    const output = typeof answer === "string" ? answer : undefined;
    return readExchange({ request, ...(output === undefined ? { answer } : { output }), ...beside });
  },
};

function requestOf(entry: JsonRecord): JsonRecord | undefined {
  for (const found of [entry["request"], entry["body"], entry["input"]].map(unwrapped)) {
    if (isRecord(found)) return found;
    if (Array.isArray(found) && isRecord(found[0]) && "role" in found[0]) return { messages: found };
  }
  if (!Array.isArray(entry["messages"])) return undefined;
  const { response: _response, completion: _completion, output: _output, ...request } = entry;
  return withoutNotes(request);
}

/** What a line notes beside the request is no part of it. */
function withoutNotes(entry: JsonRecord): JsonRecord {
  const {
    id: _id,
    provider: _provider,
    tags: _tags,
    created: _c,
    created_at: _at,
    timestamp: _t,
    ts: _ts,
    ...kept
  } = entry;
  return kept;
}

/** Splits off the assistant's last message, which is the answer. */
function withoutAnswer(request: JsonRecord): { request: JsonRecord; output?: string } {
  const messages = Array.isArray(request["messages"]) ? request["messages"] : [];
  const last: unknown = messages.at(-1);
  if (messages.length < 2 || stringAt(last, "role") !== "assistant") return { request };
  const output = stringAt(last, "content");
  const { weight: _weight, ...kept } = request;
  return { request: { ...kept, messages: messages.slice(0, -1) }, ...(output === undefined ? {} : { output }) };
}

/** The path of an address, for what a log names either way. */
export function apiPath(address: string | undefined): string | undefined {
  const found = /\/v1\/(chat\/completions|messages|responses)\b/.exec(address ?? "");
  return found ? `/v1/${found[1]}` : undefined;
}
