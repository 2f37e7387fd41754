/** What each help begins with: one or more lines to copy, by the command they belong to. */
const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  modelrig: ["dev", "bakeoff --route example.support_summarize", "deploy --dry-run"],
  dev: ["dev", "dev --port 0 --json"],
  doctor: ["doctor", "doctor --url https://gateway.example.com --key-file key.txt --expect-org acme"],
  routes: ["routes check", "routes new acme.classify_email"],
  "routes check": ["routes check", "routes check --routes services/mail/routes --json"],
  "routes list": ["routes list"],
  "routes show": ["routes show example.support_summarize --variant cheap"],
  "routes new": ["routes new acme.classify_email"],
  observe: ["observe . --scope invoices --dry-run"],
  providers: ["providers list", "providers test openai"],
  "providers list": ["providers list"],
  "providers test": ["providers test openai anthropic"],
  capture: ["capture --upstream https://gateway.example.com"],
  captures: ["captures stats", "captures list --route example.support_summarize"],
  "captures list": ["captures list --route example.support_summarize --limit 50"],
  "captures show": ["captures show 01J9ZK3W"],
  "captures stats": ["captures stats"],
  "captures delete": ["captures delete --older-than 30 --yes"],
  "captures import": [
    "captures import calls.jsonl --route example.support_summarize",
    "captures import requests.jsonl results.jsonl --format openai-batch --route example.support_summarize",
    "captures import - < calls.jsonl",
  ],
  bakeoff: [
    "bakeoff --route example.support_summarize --dry-run",
    "bakeoff --route example.support_summarize --variants cheap --budget-usd 2 --html report.html",
    "bakeoff --route example.support_summarize --hosted --total-usd 5",
  ],
  "bakeoff report": ["bakeoff report bo_01J9ZK3W"],
  "bakeoff grade": ["bakeoff grade bo_01J9ZK3W grades.json"],
  probe: ["probe openai/gpt-5-mini --budget-usd 0.50", "probe --route example.support_summarize --capability tools"],
  swap: ["swap execute prop_01J9ZK3W --approve | git apply", "swap list"],
  "swap execute": ["swap execute prop_01J9ZK3W --approve | git apply"],
  "swap revert": ["swap revert swap_01J9ZK3W | git apply"],
  "swap list": ["swap list"],
  "swap show": ["swap show swap_01J9ZK3W"],
  envelopes: ["envelopes list"],
  "envelopes list": ["envelopes list"],
  "envelopes show": ["envelopes show org-month"],
  "envelopes adjust": ['envelopes adjust res_01J9ZK3W --billed-usd 0.0123 --bill "invoice 4711, line 12"'],
  keys: ["keys create --scope call --route example.*", "keys list"],
  "keys bootstrap": ["keys bootstrap --org acme"],
  "keys create": [
    "keys create --scope call --route example.* --usd-per-month 50 --label mailer",
    "keys create --scope query --rows tag:client=acme",
  ],
  "keys list": ["keys list --all"],
  "keys revoke": ["keys revoke key_01J9ZK3W --confirm key_01J9ZK3W"],
  db: ["db migrate --dry-run", "db backup modelrig.ndjson.gz"],
  "db migrate": ["db migrate --dry-run"],
  "db backup": ["db backup modelrig.ndjson.gz"],
  "db restore": ["db restore modelrig.ndjson.gz"],
  "db export": ["db export acme.ndjson"],
  "db erase": ["db erase --before 2026-01-01T00:00:00Z"],
  "db serve": ["db serve --port 8080"],
  deploy: ["deploy --dry-run", "deploy"],
  logs: ["logs --follow", "logs --filter \"failure_class = 'timeout'\" --since 24h"],
  show: ["show inf_01J9ZK3W"],
  cost: ["cost --by model --since 7d", "cost --by day,tag.client --timezone Europe/Berlin --csv"],
  query: [
    "query \"SELECT tag.client, sum(cost) FROM inferences WHERE ts >= '2026-07-01' GROUP BY tag.client ORDER BY 2 DESC\"",
    "query \"SELECT day(ts), p95(latency_ms), conformance_rate FROM inferences GROUP BY 1 TIMEZONE 'Europe/Berlin'\"",
    "query --csv - < report.sql > report.csv",
  ],
  proposals: ["proposals list --state evidenced", "proposals show prop_01J9ZK3W"],
  "proposals list": ["proposals list --route example.support_summarize"],
  "proposals show": ["proposals show prop_01J9ZK3W"],
  "proposals reject": ['proposals reject prop_01J9ZK3W --comment "wait for the price change"'],
  whoami: ["whoami"],
  help: ["help routes check", "help exit-codes"],
  completion: ["completion bash > ~/.local/share/bash-completion/completions/modelrig"],
};

/** The examples of a command, given by its full name; empty where there are none. */
export function examplesOf(path: string): readonly string[] {
  const name = path.replace(/^modelrig /, "");
  return Object.hasOwn(EXAMPLES, name) ? (EXAMPLES[name] ?? []).map((line) => `modelrig ${line}`) : [];
}

/** The block of examples that a command's help begins with. */
export function examplesHelp(path: string): string {
  const lines = examplesOf(path);
  return lines.length === 0 ? "" : `EXAMPLES\n${lines.map((line) => `  ${line}\n`).join("")}`;
}
