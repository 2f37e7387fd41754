/** `npm run stats [-- --seed N --reps N]`: what the intervals and gates hold where the truth is known. */
import { parseArgs } from "node:util";
import { seededRandom } from "../../../src/stats/random.ts";
import {
  binaryTable,
  clusteredTable,
  costTable,
  driftTable,
  gradedTable,
  judgeTable,
  looksTable,
  mergedTable,
  priceTable,
  type Table,
} from "./sections.ts";

const { values } = parseArgs({ options: { seed: { type: "string" }, reps: { type: "string" } } });
const seed = whole("seed", values.seed ?? "1");
const reps = whole("reps", values.reps ?? "4000");
const fewer = Math.max(1, Math.round(reps / 4));

console.log(`Intervals at 95%, simulated: seed ${seed}, ${reps} runs each (${fewer} of the sequential tables).`);
console.log(`A share of 0.950 is known to ±${(1.96 * Math.sqrt((0.95 * 0.05) / reps)).toFixed(3)}.`);
// A generator of its own for each table, so that one can change without the others.
print(binaryTable());
print(gradedTable(reps, seededRandom(seed)));
print(clusteredTable(reps, seededRandom(seed)));
print(mergedTable(reps, seededRandom(seed)));
print(costTable(reps, seededRandom(seed)));
print(driftTable(reps, seededRandom(seed)));
print(judgeTable(reps, seededRandom(seed)));
print(looksTable(fewer, seededRandom(seed)));
print(priceTable(Math.min(fewer, 400), seededRandom(seed)));

function print({ title, note, head, rows }: Table): void {
  const widths = head.map((name, i) => Math.max(name.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join("  ")
      .trimEnd();
  console.log(`\n${title}`);
  if (note) console.log(note);
  console.log([line(head), ...rows.map(line)].map((text) => `  ${text}`).join("\n"));
}

function whole(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new RangeError(`--${name} takes a whole number, not ${text}`);
  return value;
}
