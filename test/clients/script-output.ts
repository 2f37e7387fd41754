import { spawn } from "node:child_process";
import { once } from "node:events";

interface CaseLine {
  readonly surface: string;
  readonly scenario: string;
  readonly onto: string;
  readonly fault?: string;
}

/** Runs one client's scenarios; a script that dies counts as a fault. */
export async function scriptOutput(
  script: string,
  env: Readonly<Record<string, string>>,
): Promise<{ readonly cases: number; readonly faults: readonly string[] }> {
  const child = spawn(process.execPath, [script], {
    env: { PATH: process.env["PATH"] ?? "", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let out = "";
  let err = "";
  child.stdout.on("data", (chunk: Buffer) => {
    out += chunk.toString("utf8");
  });
  child.stderr.on("data", (chunk: Buffer) => {
    err += chunk.toString("utf8");
  });
  const [exitCode] = (await once(child, "close")) as [number | null];
  const lines = out
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as CaseLine);
  const faults = lines.flatMap(({ surface, scenario, onto, fault }) =>
    fault === undefined ? [] : [`${surface}, ${scenario}, onto ${onto}: ${fault}`],
  );
  return {
    cases: lines.length,
    faults: exitCode === 0 ? faults : [...faults, `the script ended with ${exitCode}: ${err}`],
  };
}
