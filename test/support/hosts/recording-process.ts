/**
 * Records calls in runs, with grades and artifacts, until it is ended; writes each id as soon as it is recorded.
 * `node recording-process.ts <folder> <how many> [close]`; the gateway comes from the environment.
 */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { createRig, loadConfigFromEnv } from "../../../src/sdk/index.ts";

const [cwd = "", count = "0", close] = process.argv.slice(2);
const rig = createRig({
  ...loadConfigFromEnv(),
  ...{ cwd, routesDir: null, flushIntervalMs: 20, closeTimeoutMs: 60_000 },
});
const ledger = join(cwd, "recorded.txt");
for (let index = 0; index < Number(count); index += 1) {
  const run = rig.artifacts.run.start({ pipeline: "crash" });
  const { inferenceId } = rig.recordCall({
    provider: "openai",
    model: "gpt-5.4-mini",
    usage: { tokensIn: 10, tokensOut: 1 },
  });
  const grade = rig.grade({ kind: "inference", id: inferenceId ?? "" }, { score: 1, kind: "deterministic" });
  const artifact = rig.artifacts.artifact.save({ index }, { name: "n", type: "step_output" });
  run.end("succeeded");
  appendFileSync(ledger, `${run.runId} ${inferenceId} ${grade} ${artifact?.id}\n`);
  if (index % 20 === 19) await new Promise((resolve) => setTimeout(resolve, 5));
}
if (close) await rig.close();
