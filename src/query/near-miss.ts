/** Words of other SQL dialects and other names for the same thing, with the form to write here. */

/** Common names of columns elsewhere; columns of the queried table are resolved before this list is used. */
const COLUMN_WORDS: Readonly<Record<string, string>> = {
  served: "provider and model name who served a call, served_variant by which variant",
  success: "a call succeeded where failure_class IS NULL",
  succeeded: "a call succeeded where failure_class IS NULL",
  failed: "a call failed where failure_class IS NOT NULL",
  error: "failure_class names why a call failed, code is the upstream's own word",
  failure: "failure_class names why a call failed, reason and code say more",
  time: "write ts, and hour(ts), day(ts), week(ts) or month(ts) for buckets",
  timestamp: "write ts, and hour(ts), day(ts), week(ts) or month(ts) for buckets",
  created_at: "write ts",
  date: "write day(ts)",
  cost_usd: "write cost: it is in dollars",
  cost_nano: "write cost: it is in dollars",
  price: "write cost: it is in dollars",
  spend: "write sum(cost)",
  latency: "write latency_ms",
  duration: "write latency_ms, or of runs duration_ms",
  ttft: "write first_byte_ms",
  tokens_in: "write input_tokens",
  prompt_tokens: "write input_tokens",
  tokens_out: "write output_tokens",
  completion_tokens: "write output_tokens",
  cached_tokens: "write cache_read_tokens",
  key_id: "write key",
  org: "a key reads the rows of its own org only",
  tag: "write tag.<name>, for example tag.client",
  tags: "write tag.<name>, for example tag.client",
  count: "write count(*)",
  rows: "write count(*)",
};

const FUNCTION_WORDS: Readonly<Record<string, string>> = {
  average: "write avg(…)",
  mean: "write avg(…)",
  median: "write p50(…)",
  p90: "there are p50, p95 and p99",
  percentile: "there are p50, p95 and p99, for example p95(latency_ms)",
  percentile_cont: "there are p50, p95 and p99, for example p95(latency_ms)",
  total: "write sum(…)",
  date: "write day(ts)",
  date_trunc: "write hour(ts), day(ts), week(ts) or month(ts)",
  strftime: "write hour(ts), day(ts), week(ts) or month(ts)",
  time_bucket: "write hour(ts), day(ts), week(ts) or month(ts)",
  year: "write month(ts)",
  now: "write the time itself, for example ts >= '2026-07-26'",
  coalesce: "an unknown value stays null; count(x) counts the rows that have one",
  round: "amounts are exact; round them where they are shown",
  json_extract: "write tag.<name>, for example tag.client",
};

export const columnAdvice = (word: string): string | undefined => adviceIn(COLUMN_WORDS, word);
export const functionAdvice = (word: string): string | undefined => adviceIn(FUNCTION_WORDS, word);

function adviceIn(words: Readonly<Record<string, string>>, word: string): string | undefined {
  const known = word.toLowerCase();
  return Object.hasOwn(words, known) ? words[known] : undefined;
}

/** The most useful columns of each table, suggested instead of all of them. */
const FIRST_COLUMNS: Readonly<Record<string, string>> = {
  inferences: "ts, route, provider, model, cost, latency_ms, failure_class",
  attempts: "ts, provider, model, cost, latency_ms, failure_class",
  runs: "ts, id, pipeline, status, duration_ms",
  grades: "ts, subject_kind, subject, score, kind, grader",
};

/** Returns the form to write instead of `SELECT * FROM table`. */
export function everyColumnAdvice(table: string | undefined): string {
  const known = table !== undefined && Object.hasOwn(FIRST_COLUMNS, table) ? table : "inferences";
  return `name the columns, for example SELECT ${FIRST_COLUMNS[known]} FROM ${known}; count(*) counts rows`;
}
