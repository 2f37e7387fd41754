/** `npm run stats [-- SECTION… --seed N --reps N]`: what the intervals and gates hold where the truth is known. */
import { parseArgs } from "node:util";
import { seededRandom } from "../../../src/stats/random.ts";
import { costCoverage } from "./cost-regimes.ts";
import { evalTable } from "./eval-pairs.ts";
import { gateTable } from "./gate/gate-section.ts";
import { powerTable } from "./power.ts";
import {
  binaryTable,
  clusteredTable,
  driftTable,
  gradedTable,
  judgeTable,
  looksTable,
  mergedTable,
  type Table,
} from "./sections.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: "string" }, reps: { type: "string" } },
});
const seed = whole("seed", values.seed ?? "1");

/** Each prints its tables and answers what does not hold. */
const SECTIONS: Readonly<Record<string, () => Promise<readonly string[]> | readonly string[]>> = {
  intervals() {
    const reps = repsOr(4_000);
    console.log(`A share of 0.950 is known to ±${(1.96 * Math.sqrt((0.95 * 0.05) / reps)).toFixed(3)}.`);
    // A generator of its own for each table, so that one can change without the others.
    const random = () => seededRandom(seed);
    print(binaryTable());
    for (const table of [gradedTable, clusteredTable, mergedTable, driftTable, judgeTable])
      print(table(reps, random()));
    print(looksTable(Math.max(1, Math.round(reps / 4)), random()));
    return [];
  },
  cost: () => printed(costCoverage({ reps: repsOr(4_000), seed })),
  power: () => printed(powerTable(repsOr(400), seededRandom(seed))),
  gate: async () => printed(await gateTable({ runs: repsOr(400), seed }, (text) => console.error(text))),
  evals: async () => printed(await evalTable()),
};

/** The gate takes many minutes, and recorded evaluations are not everywhere: they are asked for by name. */
const USUAL = ["intervals", "cost", "power"];

const faults: string[] = [];
for (const name of positionals.length > 0 ? positionals : USUAL) {
  const section = SECTIONS[name];
  if (!section) throw new RangeError(`no section ${name}: one of ${Object.keys(SECTIONS).join(", ")}`);
  console.log(`\n${name}: seed ${seed}`);
  faults.push(...(await section()));
}
for (const fault of faults) console.log(`does not hold: ${fault}`);
process.exitCode = faults.length > 0 ? 1 : 0;

function printed(table: Table & { readonly faults: readonly string[] }): readonly string[] {
  print(table);
  return table.faults;
}

function print({ title, note, head, rows }: Table): void {
  console.log(`\n${title}`);
  if (note) console.log(note);
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  console.log([line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n"));
}

function repsOr(usual: number): number {
  return whole("reps", values.reps ?? `${usual}`);
}

function whole(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new RangeError(`--${name} takes a whole number, not ${text}`);
  return value;
}
