/** `npm run stats -- evals`: every pair of models of recorded evaluations through the gate, each in both directions. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { seededRandom } from "../../../src/stats/random.ts";
import type { Random } from "./draws.ts";
import { SimulatedRoute } from "./gate/propose.ts";
import type { Table } from "./sections.ts";

/** What a challenger may be worse by. */
const LIMIT = 0.05;

/** Smaller bake-offs on random items of the evaluation, whose whole is then the truth. */
const SUBSETS = 10;
const SUBSET = 300;

interface Evaluation {
  readonly name: string;
  /** By model: a score from 0 to 1 for each item. */
  readonly models: ReadonlyMap<string, readonly number[]>;
}

export interface EvalTable extends Table {
  /** Pairs that a verdict on all items, or on a random part of them, contradicts. */
  readonly faults: readonly string[];
}

const WORDS = { better: "better", equivalent: "equivalent", worse: "WORSE", continue: "open", inconclusive: "open" };

export async function evalTable(): Promise<EvalTable> {
  const faults: string[] = [];
  const rows: string[][] = [];
  for (const { name, models } of evaluations()) {
    const random = seededRandom(1);
    const names = [...models.keys()];
    for (const [index, one] of names.entries()) {
      for (const other of names.slice(index + 1)) {
        const scores = [models.get(one) ?? [], models.get(other) ?? []] as const;
        const [forth, back] = [await judged(scores[0], scores[1]), await judged(scores[1], scores[0])];
        const parts = await partsOf(scores[0], scores[1], random);
        for (const [arm, against, wrong] of [
          [one, other, wrongOf(forth) + parts.forth],
          [other, one, wrongOf(back) + parts.back],
        ] as const)
          if (wrong > 0) faults.push(`${name}: ${arm} against ${against}: ${wrong} verdicts contradict all items`);
        const regret = `${points(forth.mean)} [${points(forth.low)}, ${points(forth.high)}]`;
        rows.push([
          name,
          one,
          other,
          regret,
          WORDS[forth.verdict],
          WORDS[back.verdict],
          `${parts.open} of ${2 * SUBSETS}`,
        ]);
      }
    }
  }
  return {
    title: `All pairs of recorded evaluations at a limit of ${100 * LIMIT} points`,
    note: [
      "Regret of the first against the second on all items, with the bounds that decide; the verdict on the first as a challenger of the second,",
      `and the other way round; and how many bake-offs of ${SUBSET} random items, ten each way, stay open.`,
    ].join("\n"),
    head: ["evaluation", "one", "other", "regret, points", "one for other", "other for one", `open on ${SUBSET}`],
    rows,
    faults,
  };
}

interface Judged {
  readonly verdict: keyof typeof WORDS;
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

async function judged(arm: readonly number[], incumbent: readonly number[]): Promise<Judged> {
  const report = await new SimulatedRoute().report({
    ...{ bakeoff: "bo_1", day: 1, mode: "quality-first", limit: LIMIT },
    inputs: arm.map((_, i) => ({ question: `q${i}`, weight: 1 })),
    incumbent: { scores: incumbent, costs: incumbent.map(() => 10_000_000) },
    arms: [{ name: "cheap", serves: 1, isForbidden: false, scores: arm, costs: arm.map(() => 2_000_000) }],
  });
  const estimate = report.regrets.find((one) => one.arm === "cheap" && one.against === "default")?.estimate;
  const [verdict] = report.gate.verdicts;
  if (!estimate || !verdict?.verdict) throw new Error("a bake-off of so many items has a verdict");
  return { verdict: verdict.verdict, mean: estimate.mean, low: estimate.low, high: estimate.high };
}

/** Bake-offs of a random part of the items, as often as their verdict contradicts the whole, and as often as it is open. */
async function partsOf(one: readonly number[], other: readonly number[], random: Random) {
  const found = { forth: 0, back: 0, open: 0 };
  const truth = meanOf(other) - meanOf(one);
  for (let part = 0; part < SUBSETS; part++) {
    const items = drawn(one.length, Math.min(SUBSET, one.length), random);
    const [a, b] = [items.map((item) => one[item] ?? 0), items.map((item) => other[item] ?? 0)];
    for (const [direction, verdict, mean] of [
      ["forth", (await judged(a, b)).verdict, truth],
      ["back", (await judged(b, a)).verdict, -truth],
    ] as const) {
      found[direction] += wrongOf({ verdict, mean });
      if (WORDS[verdict] === "open") found.open += 1;
    }
  }
  return found;
}

/** 1 where a verdict says of a regret what is not the case. */
function wrongOf({ verdict, mean }: Pick<Judged, "verdict" | "mean">): number {
  const isWithin = mean <= LIMIT;
  return ((verdict === "better" || verdict === "equivalent") && !isWithin) || (verdict === "worse" && isWithin) ? 1 : 0;
}

function drawn(from: number, count: number, random: Random): number[] {
  const items = Array.from({ length: from }, (_, i) => i);
  for (let i = 0; i < count; i++) {
    const at = i + Math.floor(random() * (from - i));
    [items[i], items[at]] = [items[at] ?? 0, items[i] ?? 0];
  }
  return items.slice(0, count);
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function points(fraction: number): string {
  return (100 * fraction).toFixed(1);
}

function evaluations(): Evaluation[] {
  const folder = process.env["MODELRIG_CORPUS"];
  if (folder === undefined || !existsSync(join(folder, "eval")))
    throw new Error("recorded evaluations are read from the folder that MODELRIG_CORPUS names");
  const read = (file: string): unknown => JSON.parse(readFileSync(join(folder, "eval", file), "utf8"));
  const mmlu = read("mmlu-pro-10models.json") as { models: Record<string, { pass: string }> };
  const arena = read("routerarena-2models.json") as { items: { r: Record<string, { score: number }> }[] };
  const router = read("llmrouter-routerdc.json") as { model_order: string[]; items: { s: number[] }[] };
  const arenaModels = Object.keys(arena.items[0]?.r ?? {});
  return [
    {
      name: "MMLU-Pro",
      models: new Map(Object.entries(mmlu.models).map(([model, { pass }]) => [model, [...pass].map(Number)])),
    },
    {
      name: "RouterArena",
      models: new Map(arenaModels.map((model) => [model, arena.items.map(({ r }) => r[model]?.score ?? 0)])),
    },
    {
      name: "RouterDC",
      models: new Map(router.model_order.map((model, at) => [model, router.items.map(({ s }) => s[at] ?? 0)])),
    },
  ];
}
