import { arrayAt, isRecord, recordAt, stringAt } from "../../json/record.ts";
import { readExchange, statusIn, timeOf, unwrapped } from "./exchange-reading.ts";
import { type ImportFormat, refusedEntry } from "./imported-call.ts";

/** Results of `promptfoo eval --output`: one document with all of them, or a line each. */
export const promptfoo: ImportFormat = {
  name: "promptfoo",
  recognises: (entry) =>
    "promptIdx" in entry ||
    "evalId" in entry ||
    stringAt(recordAt(entry, "prompt"), "raw") !== undefined ||
    arrayAt(entry["results"], "results") !== undefined,
  unfold: (entry) =>
    arrayAt(entry["results"], "results") ??
    (stringAt(entry, "evalId") === undefined ? undefined : arrayAt(entry, "results")),
  read(entry, { hasTemplate }) {
    const response = recordAt(entry, "response");
    const written = response?.["output"];
    const output =
      written === undefined || written === null
        ? undefined
        : typeof written === "string"
          ? written
          : JSON.stringify(written);
    const message = stringAt(response, "error") ?? stringAt(entry, "error");
    const error = output === undefined && message !== undefined ? { status: statusIn(message), message } : undefined;
    const raw = unwrapped(stringAt(recordAt(entry, "prompt"), "raw"));
    const [provider, model] = servedBy(stringAt(recordAt(entry, "provider"), "id") ?? stringAt(entry, "provider"));
    const messages = Array.isArray(raw)
      ? raw
      : typeof raw === "string" && raw !== ""
        ? [{ role: "user", content: raw }]
        : [];
    const vars = recordAt(entry, "vars") ?? recordAt(recordAt(entry, "testCase"), "vars");
    if (messages.length === 0 && !(hasTemplate && vars)) return refusedEntry("it has no prompt");
    const at = entry["timestamp"] ?? entry["createdAt"];
    const asked = messages.length === 0 ? [{ role: "user", content: "" }] : messages;
    const reading = readExchange({
      request: { messages: asked, ...(model ? { model } : {}) },
      provider,
      output,
      error,
      at,
    });
    if (reading.type !== "call" || !hasTemplate || !isRecord(vars)) return reading;
    return { type: "call", call: { ...reading.call, at: timeOf(at), payload: { kind: "variables", variables: vars } } };
  },
};

/** `openai:chat:gpt-5-mini` → openai, gpt-5-mini. */
function servedBy(id: string | undefined): readonly [string | undefined, string | undefined] {
  const parts = (id ?? "").split(":");
  return parts.length < 2 ? [undefined, undefined] : [parts[0], parts.at(-1)];
}
