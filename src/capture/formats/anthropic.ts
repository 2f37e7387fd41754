import { recordAt, stringAt } from "../../json/record.ts";
import { readExchange } from "./exchange-reading.ts";
import { type ImportFormat, passedEntry, refusedEntry } from "./imported-call.ts";

/** Requests and answers of the Messages API, and the two files of a Message Batch (joined by `custom_id`). */
export const anthropic: ImportFormat = {
  name: "anthropic",
  recognises: (entry) =>
    (stringAt(entry, "custom_id") !== undefined && ("params" in entry || "result" in entry)) ||
    stringAt(recordAt(entry, "response"), "type") === "message" ||
    "anthropic_version" in entry,
  joinKey: (entry) => stringAt(entry, "custom_id"),
  read(entry) {
    const request =
      recordAt(entry, "params") ?? recordAt(entry, "request") ?? ("messages" in entry ? entry : undefined);
    if (request === undefined) return refusedEntry("the answer has no request: give the batch's request file too");
    const exchange = {
      path: "/v1/messages",
      provider: "anthropic",
      request,
      at: entry["created_at"] ?? entry["timestamp"],
    };
    const result = recordAt(entry, "result");
    if (result === undefined) return readExchange({ ...exchange, answer: entry["response"] });
    const message = recordAt(result, "message");
    if (message) return readExchange({ ...exchange, answer: message });
    const type = stringAt(result, "type");
    if (type === "canceled" || type === "expired") return passedEntry(`${type} before it was sent`);
    const wrapped = recordAt(result, "error");
    const error = recordAt(wrapped, "error") ?? wrapped;
    return readExchange({
      ...exchange,
      error: { code: stringAt(error, "type"), message: stringAt(error, "message") ?? "" },
    });
  },
};
