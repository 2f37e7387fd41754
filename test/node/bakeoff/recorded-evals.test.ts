import { beforeAll, describe, expect, it } from "vitest";
import type { BakeoffReport } from "../../../src/bakeoff/report/bakeoff-report.ts";
import { normalQuantile } from "../../../src/stats/normal.ts";
import { bakeoffOver, type EvalTable, type Row } from "../../support/bakeoff/eval-table.ts";
import { readJson, skipWithoutCorpus } from "../../support/wire/corpus.ts";

const skip = skipWithoutCorpus("recorded evaluations replayed as arms", "2,129 items");

interface Arena {
  readonly items: readonly {
    readonly id: string;
    readonly r: Readonly<
      Record<string, { readonly score: number; readonly cost: number; readonly in: number; readonly out: number }>
    >;
  }[];
}
const HAIKU = "claude-3-haiku-20240307";
const FLASH = "gemini-2.0-flash-001";

/** Published prices of the two models; the rows' own costs are then what the price book must come to. */
function arena(items: Arena["items"]): EvalTable {
  const rowsOf = (model: string): ReadonlyMap<string, Row> =>
    new Map(
      items.flatMap(({ id, r }) => {
        const row = r[model];
        return row ? [[id, { right: row.score === 1, input: row.in, output: row.out }] as const] : [];
      }),
    );
  return {
    items: items.map(({ id }) => id),
    models: new Map([
      [HAIKU, { inputPerMillion: 0.25, outputPerMillion: 1.25, rows: rowsOf(HAIKU) }],
      [FLASH, { inputPerMillion: 0.1, outputPerMillion: 0.4, rows: rowsOf(FLASH) }],
    ]),
  };
}

interface Published {
  readonly items: readonly { readonly id: number }[];
  readonly models: Readonly<Record<string, { readonly pass: string; readonly out_chars: readonly number[] }>>;
}

/** No prices are published with it: the models are priced in the order of their pass rates, so that better is dearer. */
function mmlu(published: Published, models: readonly string[], every: number): EvalTable {
  const kept = published.items
    .map(({ id }, index) => ({ id: `q${id}`, index }))
    .filter(({ index }) => index % every === 0);
  return {
    items: kept.map(({ id }) => id),
    models: new Map(
      models.map((model, rank) => {
        const { pass = "", out_chars: sizes = [] } = published.models[model] ?? {};
        const rows = kept.map(({ id, index }): [string, Row] => [
          id,
          { right: pass[index] === "1", input: 500, output: Math.ceil((sizes[index] ?? 0) / 4) },
        ]);
        const price = 4 / 2 ** rank;
        return [model, { inputPerMillion: price, outputPerMillion: price * 4, rows: new Map(rows) }];
      }),
    ),
  };
}

const rightOf = (table: EvalTable, model: string, items = table.items): boolean[] =>
  items.map((id) => table.models.get(model)?.rows.get(id)?.right === true);
const share = (flags: readonly boolean[]): number => flags.filter(Boolean).length / flags.length;
/** Pairs in which `arm` lost to, and won against, `against`. */
function discordance(table: EvalTable, arm: string, against: string, items = table.items) {
  const [mine, theirs] = [rightOf(table, arm, items), rightOf(table, against, items)];
  const count = (wanted: (index: number) => boolean): number => items.filter((_, index) => wanted(index)).length;
  return {
    n: items.length,
    losses: count((index) => !mine[index] && theirs[index] === true),
    wins: count((index) => mine[index] === true && !theirs[index]),
  };
}
/** Worked out here once more, from the two formulas themselves (Tango 1998 by bisection; Bonett and Price 2012). */
function regretBounds({ n, losses: b, wins: c }: { n: number; losses: number; wins: number }, level: number) {
  const z = normalQuantile(1 - level);
  const score = (d: number): number => {
    const [A, B, C] = [2 * n, -b - c + (2 * n - b + c) * d, -c * d * (1 - d)];
    const q = (Math.sqrt(B * B - 4 * A * C) - B) / (2 * A);
    return (b - c - n * d) / Math.sqrt(n * (2 * q + d * (1 - d)));
  };
  const solve = (target: number): number => {
    let [low, high] = [-1 + 1e-12, 1 - 1e-12];
    for (let step = 0; step < 200; step += 1) {
      const middle = (low + high) / 2;
      if (score(middle) > target) low = middle;
      else high = middle;
    }
    return (low + high) / 2;
  };
  const [p, q] = [(b + 1) / (n + 2), (c + 1) / (n + 2)];
  const half = z * Math.sqrt((p + q - (p - q) ** 2) / (n + 2));
  return { low: Math.min(solve(z), p - q - half), high: Math.max(solve(-z), p - q + half) };
}
const armOf = (report: BakeoffReport, name: string) => report.arms.find(({ arm }) => arm === name);
const ceilingOf = (report: BakeoffReport) => report.arms.find(({ role }) => role === "reference")?.arm ?? "";
const regretOf = (report: BakeoffReport, arm: string) =>
  report.regrets.find((one) => one.arm === arm && one.against === ceilingOf(report));

describe.skipIf(skip)("a model that cost less and answered no worse, on 809 recorded items", () => {
  let table: EvalTable;
  let report: BakeoffReport;
  let items: Arena["items"];
  beforeAll(async () => {
    items = readJson<Arena>("eval", "routerarena-2models.json").items;
    table = arena(items);
    report = await bakeoffOver(table, { incumbent: HAIKU, challengers: [FLASH], reference: HAIKU, maxRegret: 0.02 });
  }, 120_000);

  it.each([
    ["default", HAIKU],
    [FLASH, FLASH],
  ])("%s costs and scores what its rows say", (name, model) => {
    const arm = armOf(report, name);
    const spent = items.reduce((sum, { r }) => sum + Math.round((r[model]?.cost ?? 0) * 1e9), 0);
    expect(Math.round(Number(arm?.spend_usd) * 1e9)).toBe(spent);
    expect(arm).toMatchObject({ sent: items.length, conformant: items.length, cost_unknown: 0 });
    expect(arm?.effective?.usd_per_1k).toBeCloseTo((1000 * spent) / 1e9 / items.length, 9);
    expect(arm?.quality).toMatchObject({ metric: "golden", n: items.length });
    expect(arm?.quality?.mean).toBeCloseTo(share(rightOf(table, model)), 12);
  });

  it("regret and its bounds are those of the paired rows", () => {
    const { n, losses, wins } = discordance(table, FLASH, HAIKU);
    const regret = regretOf(report, FLASH);
    expect(regret).toMatchObject({ n_paired: n, missing: 0, losses, wins });
    expect(regret?.estimate?.mean).toBeCloseTo((losses - wins) / n, 12);
    const bounds = regretBounds({ n, losses, wins }, regret?.estimate?.level ?? 0);
    expect(regret?.estimate?.low).toBeCloseTo(bounds.low, 6);
    expect(regret?.estimate?.high).toBeCloseTo(bounds.high, 6);
  });

  it("clears its gate, and the saving is that of the rows", () => {
    expect(report.gate.proposes).toBe(FLASH);
    const ratio = report.pairs.find(({ arm }) => arm === FLASH)?.cost_ratio;
    const total = (model: string): number => items.reduce((sum, { r }) => sum + (r[model]?.cost ?? 0), 0);
    expect(ratio?.ratio).toBeCloseTo(total(FLASH) / total(HAIKU), 6);
  });
});

describe.skipIf(skip)("five models on the same published questions", () => {
  let published: Published;
  let ranked: readonly string[];
  let table: EvalTable;
  beforeAll(() => {
    published = readJson<Published>("eval", "mmlu-pro-10models.json");
    const rate = (model: string): number => share([...(published.models[model]?.pass ?? "")].map((one) => one === "1"));
    ranked = Object.keys(published.models)
      .sort((a, b) => rate(b) - rate(a))
      .slice(0, 5);
    table = mmlu(published, ranked, 3);
  });
  const [best, rest] = [() => ranked[0] ?? "", () => ranked.slice(1)];

  it("are told apart as their rows tell them apart, and the cheapest of those within the limit is taken", async () => {
    const maxRegret = 0.12;
    const report = await bakeoffOver(table, {
      incumbent: best(),
      challengers: rest(),
      reference: best(),
      maxRegret,
    });
    for (const model of rest()) {
      const pair = discordance(table, model, best());
      const regret = regretOf(report, model);
      expect(regret?.estimate?.mean).toBeCloseTo((pair.losses - pair.wins) / pair.n, 12);
      const bounds = regretBounds(pair, regret?.estimate?.level ?? 0);
      expect(regret?.estimate?.high).toBeCloseTo(bounds.high, 6);
      const { verdict } = report.gate.verdicts.find(({ arm }) => arm === model) ?? {};
      if (bounds.high < 0) expect(verdict).toBe("better");
      else if (bounds.high <= maxRegret) expect(verdict).toBe("equivalent");
      else if (bounds.low > maxRegret) expect(verdict).toBe("worse");
      else expect(verdict).toBe("continue");
    }
    const cleared = report.gate.verdicts.filter(({ clears }) => clears).map(({ arm }) => arm);
    const regretFrom = (model: string): number => {
      const { losses, wins, n } = discordance(table, model, best());
      return (losses - wins) / n;
    };
    const lowest = Math.min(...cleared.map(regretFrom));
    const near = cleared.filter((model) => regretFrom(model) <= lowest + maxRegret);
    const cheapest = near.sort((a, b) => ranked.indexOf(b) - ranked.indexOf(a))[0];
    expect(report.gate.proposes).toBe(cheapest);
    expect(cleared.length, "some arm is within the limit, or this shows nothing").toBeGreaterThan(0);
  }, 240_000);

  it("are undecided where the questions are few, and it says how many more it takes", async () => {
    const challenger = rest()[0] ?? "";
    const window = (from: number): readonly string[] => table.items.slice(from, from + 40);
    // Forty questions on which the two are even: what is missing is evidence, not quality.
    const even = table.items.findIndex((_, from) => {
      const { losses, wins, n } = discordance(table, challenger, best(), window(from));
      return n === 40 && losses === wins && losses > 0;
    });
    const items = window(even);
    const report = await bakeoffOver(table, {
      incumbent: best(),
      challengers: [challenger],
      reference: best(),
      maxRegret: 0.02,
      items,
    });
    const [verdict] = report.gate.verdicts;
    expect(report.gate.proposes).toBeUndefined();
    expect(verdict).toMatchObject({ clears: false, verdict: "continue" });
    // Even without a single loss a limit of 2 points takes 189 pairs.
    expect((verdict?.needs?.low ?? 0) + items.length).toBeGreaterThanOrEqual(189);
    expect(Number(verdict?.needs?.usd)).toBeGreaterThan(0);
  }, 120_000);
});
