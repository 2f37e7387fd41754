import { type ClassificationRow, words } from "./classification-row.ts";
import { STRUCTURED } from "./structured-rows.ts";
import { WORDED } from "./worded-rows.ts";

/** What is left is decided by the status alone. */
const BY_STATUS: readonly ClassificationRow[] = [
  { kind: "key refused", status: [401, 403], class: "auth" },
  { kind: "the upstream gave up waiting", status: [408], class: "network", reason: "timeout" },
  { kind: "too many requests, or overloaded", status: [429, 498, 503, 529], class: "capacity_shed" },
  { kind: "Gemini: the upstream canceled", status: [499], class: "server_error" },
  // A fault of the request that comes inside a 200 is no reason to ask another model.
  {
    kind: "request refused inside a 200",
    status: [200],
    word: words("invalid_request_error", "invalid_argument", "invalid_\\w+", "bad_request", "\\w+_not_supported"),
    class: "bad_request",
  },
];

/** Read top down; the first row that matches decides. */
export const CLASSIFICATION: readonly ClassificationRow[] = [...STRUCTURED, ...WORDED, ...BY_STATUS];
