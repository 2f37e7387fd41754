/** What the SDK costs a process: its import, and its part of each call, without providers and network. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createRig, type Rig } from "../../../src/sdk/index.ts";
import { type Figure, median } from "../figures.ts";

const STARTS = 9;
const ROUNDS = 7;
const CALLS = 300;
const built = fileURLToPath(new URL("../../../dist/modelrig-sdk/index.js", import.meta.url));

const ANSWER = JSON.stringify({
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "ok" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 },
});

export async function sdk(): Promise<readonly Figure[]> {
  const cwd = mkdtempSync(join(tmpdir(), "modelrig-bench-sdk-"));
  // The answer is there at once: what is left is the engine, its request and answer objects, and the record on the disk.
  const fetch = async (): Promise<Response> =>
    new Response(ANSWER, { headers: { "content-type": "application/json" } });
  const rig = createRig({ cwd, routesDir: null, fetch, env: { OPENAI_API_KEY: "sk-bench" } });
  try {
    return [...imports(), ...(await calls(rig))];
  } finally {
    await rig.close();
    rmSync(cwd, { recursive: true, force: true });
  }
}

function imports(): readonly Figure[] {
  if (!existsSync(built)) {
    console.error("dist/sdk is not built (npm run build:package): the import is not measured");
    return [];
  }
  const spent = Array.from({ length: STARTS }, () => processorTime(`await import(${JSON.stringify(built)})`));
  const empty = Array.from({ length: STARTS }, () => processorTime(""));
  const detail = `processor time above an empty Node, which takes ${Math.round(median(empty))} ms`;
  return [{ what: "import of the built SDK", value: median(spent) - median(empty), unit: "ms", detail }];
}

/** Of a whole process, in milliseconds: not what else the machine does meanwhile. */
function processorTime(code: string): number {
  const script = `${code}; const { user, system } = process.cpuUsage(); console.log((user + system) / 1000)`;
  const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
  return Number(stdout);
}

async function calls(rig: Rig): Promise<readonly Figure[]> {
  const messages = [{ role: "user", content: "hello" }] as const;
  const ways: Readonly<Record<string, () => unknown>> = {
    "rig.runRaw, its own part": () => rig.runRaw({ provider: "openai", model: "gpt-5.4-mini", messages }),
    "rig.recordCall": () =>
      rig.recordCall({ provider: "openai", model: "gpt-5.4-mini", usage: { tokensIn: 10, tokensOut: 1 } }),
    "rig.grade": () => rig.grade({ kind: "inference", id: "inf_1" }, { score: 1, kind: "deterministic" }),
  };
  const figures: Figure[] = [];
  for (const [what, call] of Object.entries(ways)) {
    const rounds: number[] = [];
    for (let round = 0; round <= ROUNDS; round += 1) {
      const before = process.cpuUsage();
      for (let index = 0; index < CALLS; index += 1) await call();
      const { user, system } = process.cpuUsage(before);
      // The first round pays for what is compiled and opened once.
      if (round > 0) rounds.push((user + system) / CALLS);
    }
    figures.push({
      what,
      value: median(rounds),
      unit: "µs",
      detail: "processor time of a call, its record on the disk included",
    });
  }
  return figures;
}
