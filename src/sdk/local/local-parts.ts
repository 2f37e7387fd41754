/** What is kept in SQLite on this machine. The package `modelrig` holds it; `modelrig-sdk` alone has nothing native. */
export { openLocalEnvelopes } from "../../localdb/local-envelopes.ts";
export { openCaptures, retentionOf } from "../../workspace/local-captures.ts";
