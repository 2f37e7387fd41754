import { type ClassificationRow, words } from "./classification-row.ts";
import { STRUCTURED } from "./structured-rows.ts";
import { WORDED } from "./worded-rows.ts";

/** Rows for errors that only their status identifies. */
const BY_STATUS: readonly ClassificationRow[] = [
  { kind: "key refused", status: [401, 403], class: "auth" },
  { kind: "the upstream gave up waiting", status: [408], class: "network", reason: "timeout" },
  { kind: "too many requests, or overloaded", status: [429, 498, 503, 529], class: "capacity_shed" },
  { kind: "Gemini: the upstream canceled", status: [499], class: "server_error" },
  // An error that blames the request stays a `bad_request` inside a 200: another model would fail as well.
  {
    kind: "request refused inside a 200",
    status: [200],
    word: words("invalid_request_error", "invalid_argument", "invalid_\\w+", "bad_request", "\\w+_not_supported"),
    class: "bad_request",
  },
];

/** Rows in order of precedence: the first row that matches decides. */
export const CLASSIFICATION: readonly ClassificationRow[] = [...STRUCTURED, ...WORDED, ...BY_STATUS];
