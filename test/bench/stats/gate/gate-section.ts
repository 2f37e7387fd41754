/** `npm run stats -- gate`: how often the whole gate proposes what is forbidden. */
import { readFileSync } from "node:fs";
import { ALPHA } from "../../../../src/stats/alpha-spending.ts";
import { wilson } from "../../../../src/stats/wilson.ts";
import type { Table } from "../sections.ts";
import type { WorldCount } from "./run-world.ts";
import { runWorlds } from "./run-worlds.ts";
import { WORLDS } from "./worlds.ts";

/** Least share of the runs in which a control must be proposed: a gate that proposes nothing is never wrong. */
const LEAST_FOUND = 0.8;

export interface GateTable extends Table {
  /** Worlds in which the whole interval of the share lies above what a route may spend, or in which nothing is found. */
  readonly faults: readonly string[];
}

interface EarlierCounts {
  readonly commit: string;
  readonly worlds: Readonly<Record<string, WorldCount>>;
}

/** The same worlds through the gate as it was before evidence was kept by question; `how` in the file says how it was made. */
function earlierCounts(): EarlierCounts {
  return JSON.parse(readFileSync(new URL("./earlier-gate.json", import.meta.url), "utf8")) as EarlierCounts;
}

export async function gateTable(
  terms: { readonly runs: number; readonly seed: number },
  onDone: (text: string) => void = () => undefined,
): Promise<GateTable> {
  const counts = new Map<string, WorldCount>();
  const names = WORLDS.map(({ name }) => name);
  await runWorlds(names, terms, (name, count) => {
    counts.set(name, count);
    onDone(`${name}: ${count.forbidden} forbidden, ${count.allowed} allowed of ${count.runs}`);
  });
  const { commit, worlds: earlier } = earlierCounts();
  const rows = WORLDS.map(({ name, says }) => {
    const before = earlier[name];
    return [name, says, ...shareColumns(counts.get(name)), before ? (shareColumns(before)[0] ?? "") : "–"];
  });
  return {
    title: `False proposals of the whole gate: ${terms.runs} runs of 20 looks each, promised at most ${ALPHA}`,
    note: `From samples to proposal, with the evidence of all looks. Last column: the gate at commit ${commit}.`,
    head: ["world", "in it", "runs with a false proposal", "runs with a right one", `at ${commit}`],
    rows,
    faults: faultsOf(counts),
  };
}

function faultsOf(counts: ReadonlyMap<string, WorldCount>): string[] {
  return [...counts].flatMap(([name, { runs, forbidden, allowed }]) => {
    const isControl = name.startsWith("control");
    if ((wilson(forbidden, runs)?.low ?? 1) > ALPHA) return [`${name}: ${forbidden} of ${runs} runs propose`];
    return isControl && allowed < LEAST_FOUND * runs ? [`${name}: only ${allowed} of ${runs} runs propose`] : [];
  });
}

function shareColumns(count: WorldCount | undefined): string[] {
  if (!count) return ["–", "–"];
  const { runs, forbidden, allowed } = count;
  const interval = wilson(forbidden, runs);
  const bounds = interval ? ` [${interval.low.toFixed(3)}, ${interval.high.toFixed(3)}]` : "";
  return [`${(forbidden / runs).toFixed(3)}${bounds}`, (allowed / runs).toFixed(2)];
}
