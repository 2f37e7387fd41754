/** Processes of the bench, and what the kernel says of them. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Job, JobResult } from "./load.ts";

const start = (file: string): ChildProcess => fork(fileURLToPath(new URL(file, import.meta.url)));

export async function startUpstream(): Promise<{ readonly port: number; stop(): void }> {
  const child = start("./upstream.ts");
  const [port] = (await once(child, "message")) as [number];
  return { port, stop: () => void child.kill() };
}

export interface LoadGenerator {
  run<T extends Job["type"]>(job: Extract<Job, { type: T }>): Promise<Extract<JobResult, { type: T }>>;
  stop(): void;
}

export function startLoadGenerator(): LoadGenerator {
  const child = start("./load.ts");
  return {
    async run<T extends Job["type"]>(job: Extract<Job, { type: T }>) {
      child.send(job);
      const [answer] = (await once(child, "message")) as [
        { readonly ok: true; readonly result: Extract<JobResult, { type: T }> } | { ok: false; error: string },
      ];
      if (!answer.ok) throw new Error(`the load generator: ${answer.error}`);
      return answer.result;
    },
    stop: () => void child.kill(),
  };
}

/** Processes named `workerd` that this process has started. */
export function workerdChildren(): ReadonlySet<number> {
  const found = new Set<number>();
  for (const entry of readdirSync("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    const [, name, rest] = statOf(Number(entry)) ?? [];
    if (name === "workerd" && Number(rest?.[1]) === process.pid) found.add(Number(entry));
  }
  return found;
}

/** Milliseconds of processor time, user and system, since the process began. Counted by the kernel in ticks of 10 ms. */
export function cpuMs(pid: number): number {
  const fields = statOf(pid)?.[2];
  if (!fields) throw new Error(`there is no process ${pid}`);
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Name and the fields from `state` on. A process may end between its listing and its reading. */
function statOf(pid: number): [string, string, string[]] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    const name = text.slice(text.indexOf("(") + 1, text.lastIndexOf(")"));
    return [text, name, text.slice(text.lastIndexOf(")") + 2).split(" ")];
  } catch {
    return undefined;
  }
}

/** Largest resident set in bytes since the last `resetPeak`. */
export function peakRss(pid: number): number {
  const kilobytes = /^VmHWM:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kilobytes) * 1024;
}

export function resetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
}

/** Waits until a process has nothing left to do, such as telemetry of an earlier round; at most ten seconds. */
export async function idle(pid: number): Promise<void> {
  for (let quiet = 0, waited = 0; quiet < 3 && waited < 50; waited += 1) {
    const before = cpuMs(pid);
    await pause(200);
    quiet = cpuMs(pid) - before <= 10 ? quiet + 1 : 0;
  }
}
