import { type Interval, Z_95 } from "./interval.ts";
import { wilson } from "./wilson.ts";

/** Verdicts of two graders on the same cases. */
interface GraderTable {
  readonly bothPass: number;
  /** The first passes, the second fails. */
  readonly onlyFirst: number;
  readonly onlySecond: number;
  readonly bothFail: number;
}

export interface GraderAgreement {
  readonly n: number;
  /** Share of cases with the same verdict, and Wilson's interval. */
  readonly agreement: number;
  readonly interval: Interval;
  /** Cohen's κ; undefined where both gave one verdict throughout, which chance alone would explain. */
  readonly kappa?: number | undefined;
  readonly kappaInterval?: Interval | undefined;
}

/** Undefined for no cases. Throws `RangeError` on anything but counts. */
export function graderAgreement(table: GraderTable): GraderAgreement | undefined {
  const { bothPass, onlyFirst, onlySecond, bothFail } = table;
  for (const count of [bothPass, onlyFirst, onlySecond, bothFail])
    if (!Number.isInteger(count) || count < 0) throw new RangeError(`not a count: ${count}`);
  const n = bothPass + onlyFirst + onlySecond + bothFail;
  const interval = wilson(bothPass + bothFail, n);
  if (interval === undefined) return undefined;
  const agreement = (bothPass + bothFail) / n;
  const { kappa } = cohen(cellsOf(table, 0));
  if (Number.isNaN(kappa)) return { n, agreement, interval };
  return { n, agreement, interval, kappa, kappaInterval: kappaInterval(table, kappa) };
}

/**
 * 95%, from the large-sample variance of Fleiss, Cohen & Everitt (1969, Psychol Bull 72:323) after half a case was added
 * to each cell, so that perfect agreement on few cases is not certainty; widened to hold the estimate.
 */
function kappaInterval(table: GraderTable, estimate: number): Interval {
  const { kappa, error } = cohen(cellsOf(table, 0.5));
  return {
    low: Math.max(-1, Math.min(estimate, kappa - Z_95 * error)),
    high: Math.min(1, Math.max(estimate, kappa + Z_95 * error)),
  };
}

type Cells = readonly [number, number, number, number];

function cellsOf({ bothPass, onlyFirst, onlySecond, bothFail }: GraderTable, added: number): Cells {
  return [bothPass + added, onlyFirst + added, onlySecond + added, bothFail + added];
}

/** κ and its standard error; κ is NaN where chance explains everything. Exported for its test. */
export function cohen(cells: Cells): { readonly kappa: number; readonly error: number } {
  const n = cells.reduce((sum, cell) => sum + cell, 0);
  const share = (cell: number): number => cell / n;
  const [pass, first, second, fail] = [share(cells[0]), share(cells[1]), share(cells[2]), share(cells[3])];
  const [rowPass, columnPass] = [pass + first, pass + second];
  const observed = pass + fail;
  const chance = rowPass * columnPass + (1 - rowPass) * (1 - columnPass);
  if (chance === 1) return { kappa: Number.NaN, error: Number.NaN };
  const kappa = (observed - chance) / (1 - chance);
  const agreeing =
    pass * (1 - (rowPass + columnPass) * (1 - kappa)) ** 2 + fail * (1 - (2 - rowPass - columnPass) * (1 - kappa)) ** 2;
  const disagreeing =
    (1 - kappa) ** 2 * (first * (columnPass + 1 - rowPass) ** 2 + second * (1 - columnPass + rowPass) ** 2);
  const centre = (kappa - chance * (1 - kappa)) ** 2;
  const variance = (agreeing + disagreeing - centre) / (n * (1 - chance) ** 2);
  return { kappa, error: Math.sqrt(Math.max(0, variance)) };
}
