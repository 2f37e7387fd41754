import { numberAt, recordAt, stringAt } from "../../json/record.ts";
import { readExchange } from "./exchange-reading.ts";
import { type ImportFormat, passedEntry, refusedEntry } from "./imported-call.ts";
import { apiPath } from "./openai-jsonl.ts";

/** The request file of a batch with its output and error files, joined by `custom_id`. */
export const openaiBatch: ImportFormat = {
  name: "openai-batch",
  recognises: (entry) =>
    stringAt(entry, "custom_id") !== undefined &&
    ("body" in entry || "status_code" in (recordAt(entry, "response") ?? {})),
  joinKey: (entry) => stringAt(entry, "custom_id"),
  read(entry) {
    const request = recordAt(entry, "body");
    if (request === undefined) return refusedEntry("the answer has no request: give the batch's request file too");
    const path = apiPath(stringAt(entry, "url"));
    if (path === undefined) return passedEntry(`${stringAt(entry, "url") ?? "no url"} is no chat endpoint`);
    const response = recordAt(entry, "response");
    const body = recordAt(response, "body");
    const status = numberAt(response, "status_code");
    const failed = recordAt(body, "error") ?? recordAt(entry, "error");
    const exchange = { path, request, provider: "openai", at: body?.["created"] ?? body?.["created_at"] };
    if (!failed || (status !== undefined && status < 400)) return readExchange({ ...exchange, answer: body });
    const error = { status, code: stringAt(failed, "code"), message: stringAt(failed, "message") ?? "" };
    return readExchange({ ...exchange, error });
  },
};
