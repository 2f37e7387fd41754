/** What a person waits for before the command line says anything. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type Figure, median } from "../figures.ts";

const STARTS = 15;
const launcher = fileURLToPath(new URL("../../../bin/modelrig.js", import.meta.url));

export async function cli(): Promise<readonly Figure[]> {
  const help: number[] = [];
  const empty: number[] = [];
  for (let start = 0; start <= STARTS; start += 1) {
    const pair = [timed(["-e", "0"]), timed([launcher, "--help"])] as const;
    if (start === 0) continue;
    empty.push(pair[0]);
    help.push(pair[1]);
  }
  return [
    {
      what: "modelrig --help, process start to end",
      value: median(help),
      unit: "ms",
      goal: { most: 250 },
      detail: `an empty Node takes ${Math.round(median(empty))} ms`,
    },
  ];
}

function timed(args: readonly string[]): number {
  const startedAt = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${args.join(" ")} ended with ${status}: ${stderr}`);
  return performance.now() - startedAt;
}
