import { describe, expect, it } from "vitest";
import type { ArmReport } from "../../../src/bakeoff/analysis/arm-report.ts";
import type { RegretReport } from "../../../src/bakeoff/analysis/regret-report.ts";
import type { GateFigures } from "../../../src/bakeoff/gate/contest.ts";
import { decideGate } from "../../../src/bakeoff/gate/decide-gate.ts";
import type { ClauseName } from "../../../src/bakeoff/gate/gate-report.ts";
import type { ObjectiveReport } from "../../../src/bakeoff/report/bakeoff-report.ts";
import { familyLevel } from "../../../src/stats/alpha-spending.ts";
import {
  armFigures,
  gateFigures,
  pairFigures,
  pairsWith,
  REFERENCE,
  type RegretFigures,
  regretFigures,
} from "../../support/bakeoff/bakeoff-figures.ts";

const N = 400;
const size = { sent: N, graded: N, conformant: 392 };
const at = (usd: number, more: Partial<ArmReport> = {}) => ({ ...size, effective: { usd_per_1k: usd }, ...more });

interface Setting {
  readonly challengers?: Readonly<Record<string, Partial<ArmReport>>>;
  readonly incumbent?: Partial<ArmReport>;
  readonly reference?: Partial<ArmReport> | "none";
  readonly objective?: Partial<ObjectiveReport>;
  readonly regrets?: readonly RegretFigures[];
  /** Of the cost per conformant output; a fifth unless told. */
  readonly ratio?: { readonly ratio: number; readonly low: number; readonly high: number };
}

/** `cheap` at a fifth of the incumbent's cost and without a difference to the reference, unless told otherwise. */
function settingOf(setting: Setting = {}): GateFigures {
  const { challengers = { cheap: at(1) }, incumbent, reference, ratio } = setting;
  const objective = {
    ...{ mode: "quality-first" as const, max_regret: 0.02, max_conformance_drop: 0.05 },
    ...setting.objective,
  };
  const names = Object.keys(challengers);
  const given: readonly RegretFigures[] =
    setting.regrets ?? [...names, "default"].map((arm) => ({ arm, pairs: pairsWith(N, 0, 0) }));
  // Against what serves there is no difference, unless told.
  const told = new Set(given.filter(({ against }) => against === "default").map(({ arm }) => arm));
  const silent = names
    .filter((arm) => !told.has(arm))
    .map((arm) => ({ arm, against: "default", pairs: pairsWith(N, 0, 0) }));
  const limitOf = ({ arm, against }: RegretFigures): number | undefined =>
    arm === "default" || against !== "default" ? objective.max_regret : (objective.max_regret ?? 0.05);
  const regrets = regretFigures(
    [...given, ...silent].map((regret) => ({ limit: limitOf(regret), ...regret })),
    { challengers: names },
  );
  return gateFigures({
    arms: [
      armFigures("default", { role: "incumbent", ...at(5), ...incumbent }),
      ...names.map((name) => armFigures(name, challengers[name])),
      ...(reference === "none" ? [] : [armFigures(REFERENCE, { role: "reference", ...at(9), ...reference })]),
    ],
    pairs: names.map((name) => {
      const cost = { ...(ratio ?? { ratio: 0.2, low: 0.18, high: 0.22 }), level: 0.0076 };
      return pairFigures(name, { n_paired: N, cost_ratio: cost, cost_ratio_passing: cost });
    }),
    regrets: reference === "none" ? regrets.filter(({ against }) => against !== REFERENCE) : regrets,
    objective,
  });
}

function judged(setting: Setting = {}, arm = "cheap") {
  const gate = decideGate(settingOf(setting));
  const verdict = gate.verdicts.find((one) => one.arm === arm);
  if (!verdict) throw new Error(`no verdict on ${arm}`);
  return { gate, verdict, unmet: verdict.clauses.filter(({ met }) => !met).map(({ clause }) => clause) };
}

const regretOf = (arm: string, losses: number, wins: number, more: Partial<RegretFigures> = {}): RegretFigures => ({
  arm,
  pairs: pairsWith(N, losses, wins),
  ...more,
});

/** Each arm looked at in a bake-off of its own, one after the other. */
function oneByOne(regrets: readonly RegretFigures[]): RegretFigures[] {
  return regrets.map((one, index) => {
    const looks = Array.from({ length: regrets.length }, (_, look) => (look === index ? (one.before?.[0] ?? []) : []));
    return { ...one, before: looks };
  });
}

describe("the quality-first gate", () => {
  it("is cleared by a cheaper arm whose regret is bounded by max_regret", () => {
    const { gate, verdict, unmet } = judged();
    expect(unmet).toEqual([]);
    expect(verdict).toMatchObject({ clears: true, verdict: "equivalent" });
    expect(gate).toMatchObject({ kind: "quality-first", proposes: "cheap" });
    expect(verdict.clauses.every(({ reason }) => reason !== "")).toBe(true);
  });

  const refused: readonly [kind: string, setting: Setting, clause: ClauseName][] = [
    ["no bound is declared", { objective: { max_regret: undefined } }, "bound"],
    ["there is no reference", { reference: "none" }, "reference"],
    ["it is partial", { challengers: { cheap: at(1, { complete: false, stopped: "budget" }) } }, "complete"],
    ["the incumbent is partial", { incumbent: { complete: false, stopped: "interrupted" } }, "complete"],
    [
      "another challenger is partial: it might have been the better choice",
      { challengers: { cheap: at(1), other: at(2, { complete: false, stopped: "budget" }) } },
      "complete",
    ],
    ["the reference is partial", { reference: { complete: false, stopped: "budget" } }, "complete"],
    ["there are fewer than 10 pairs", { regrets: [{ arm: "cheap", pairs: pairsWith(9, 0, 0) }] }, "pairs"],
    ["some of its costs are unknown", { challengers: { cheap: at(1, { cost_unknown: 1 }) } }, "priced"],
    ["it has no price", { challengers: { cheap: at(1, { complete: false, stopped: "unpriced" }) } }, "priced"],
    [
      "too few pairs were measured for its bound",
      { regrets: [{ arm: "cheap", pairs: pairsWith(200, 0, 0) }] },
      "regret",
    ],
    ["it loses too often", { regrets: [regretOf("cheap", 20, 0)] }, "regret"],
    ["its cost is above the ceiling", { objective: { usd_per_1k: 0.99 } }, "price_ceiling"],
    ["an input costs more than the ceiling", { objective: { usd_per_run: 0.0009 } }, "price_ceiling"],
    ["nothing of it conforms", { challengers: { cheap: at(1, { effective: undefined }) } }, "improvement"],
    ["its cost is not separated and it is no better", { ratio: { ratio: 1, low: 0.9, high: 1.1 } }, "improvement"],
    [
      "it loses too often to what serves",
      { regrets: [regretOf("cheap", 0, 0), regretOf("cheap", 20, 0, { against: "default" })] },
      "incumbent_regret",
    ],
    [
      "only a price ceiling is declared and it is merely cheaper",
      { objective: { max_regret: undefined, usd_per_1k: 4 } },
      "improvement",
    ],
    [
      "its pairs come from fewer than 20 customers",
      { regrets: [{ arm: "cheap", pairs: pairsWith(N, 0, 0).map((pair, i) => ({ ...pair, cluster: `c${i % 19}` })) }] },
      "clusters",
    ],
    [
      "one customer has more than half of the pairs",
      {
        regrets: [
          {
            arm: "cheap",
            pairs: pairsWith(N, 0, 0).map((pair, i) => ({ ...pair, cluster: i > 180 ? "big" : `c${i}` })),
          },
        ],
      },
      "clusters",
    ],
  ];
  it("asks nothing of a quality gate, which is the cost-first gate's: regret tells of quality here", () => {
    const passing = { min_score: 0.5, count: 390, rate: 0.97, low: 0.95, high: 0.99 };
    const { gate, verdict } = judged({
      objective: { quality_gate: { min_score: 0.5 } },
      challengers: { cheap: at(1, { passing, effective_passing: { usd_per_1k: 1 } }) },
      incumbent: {
        passing: { ...passing, count: 395, rate: 0.98, low: 0.96 },
        effective_passing: { usd_per_1k: 10 },
      },
    });
    expect(verdict?.clauses.map((one) => one.clause)).not.toContain("quality");
    expect(gate.proposes).toBe("cheap");
  });

  for (const [kind, setting, clause] of refused) {
    it(`is not cleared when ${kind}, and says why`, () => {
      const { gate, verdict, unmet } = judged(setting);
      expect(unmet).toContain(clause);
      expect(verdict).toMatchObject({ clears: false, cost_separated: false });
      expect(gate.proposes).toBeUndefined();
    });
  }

  it("is cleared on the ceiling itself, per 1K outputs or per input", () => {
    expect(judged({ objective: { usd_per_1k: 1 } }).verdict.clears).toBe(true);
    expect(judged({ objective: { usd_per_run: 392 / 1000 / N } }).verdict.clears).toBe(true);
  });

  it("takes a dearer arm under the ceiling when its regret against the incumbent is shown to be lower", () => {
    const better: RegretFigures[] = [
      regretOf("up", 0, 0),
      regretOf("default", 40, 0),
      regretOf("up", 0, 40, { against: "default" }),
    ];
    const setting = { challengers: { up: at(7) }, regrets: better };
    expect(judged({ ...setting, objective: { usd_per_1k: 8 } }, "up").gate.proposes).toBe("up");
    expect(judged({ ...setting, objective: { usd_per_1k: 6 } }, "up").unmet).toEqual(["price_ceiling"]);
    // Also without max_regret: better than the incumbent is the bound.
    expect(judged({ ...setting, objective: { max_regret: undefined, usd_per_1k: 8 } }, "up").gate.proposes).toBe("up");
  });

  it("does not take a dearer arm that only looks better", () => {
    const regrets = [regretOf("up", 0, 0), regretOf("default", 4, 0), regretOf("up", 0, 4, { against: "default" })];
    const ratio = { ratio: 1.4, low: 1.3, high: 1.5 };
    expect(judged({ challengers: { up: at(7) }, regrets, ratio }, "up").unmet).toEqual(["improvement"]);
  });

  it("proposes the arm with the lowest regret; of arms within max_regret of it the cheaper one", () => {
    const challengers = { a: at(1), b: at(0.5), c: at(0.4) };
    const wide = { objective: { max_regret: 0.2 }, challengers };
    const regrets = [regretOf("a", 0, 0), regretOf("b", 40, 0), regretOf("c", 10, 40)];
    // c is 0.075 better than the reference and the cheapest within 0.2 of the least.
    expect(judged({ ...wide, regrets }, "a").gate.proposes).toBe("c");
    const apart = [regretOf("a", 0, 60), regretOf("b", 40, 0), regretOf("c", 50, 0)];
    // b is 0.25 and c 0.275 above a: too far from it to count as equal.
    expect(judged({ ...wide, regrets: apart }, "a").gate.proposes).toBe("a");
  });

  it("corrects for the number of challengers: the same evidence clears alone and not among many", () => {
    const barely = { arm: "cheap", pairs: pairsWith(300, 0, 0) };
    expect(judged({ regrets: [barely] }).verdict.clears).toBe(true);
    const others = ["b", "c", "d", "e"].map((arm) => ({ arm, pairs: pairsWith(300, 60, 0) }));
    const challengers = Object.fromEntries(["cheap", "b", "c", "d", "e"].map((arm) => [arm, at(1)]));
    expect(judged({ regrets: [barely, ...others], challengers }).unmet).toContain("regret");
  });

  it("steps down as Holm does: arms that are through in all comparisons leave more of the error to the rest", () => {
    const others = ["b", "c", "d", "e"];
    const challengers = Object.fromEntries(["cheap", ...others].map((arm) => [arm, at(1)]));
    const cheapOf = (againstIncumbent: number): RegretReport => {
      const clear = others.flatMap((arm) => [
        { arm, pairs: pairsWith(500, 0, 0) },
        { arm, against: "default", pairs: pairsWith(500, againstIncumbent, 0) },
      ]);
      const cheap = ["default", REFERENCE].map((against) => ({ arm: "cheap", against, pairs: pairsWith(300, 0, 0) }));
      const { regrets } = settingOf({ regrets: [...clear, ...cheap], challengers });
      return regrets.find(({ arm, against }) => arm === "cheap" && against === REFERENCE) as RegretReport;
    };
    expect(cheapOf(0).estimate?.high).toBeLessThanOrEqual(0.02);
    // The bound that decided is shown, at the level at which it did.
    expect(cheapOf(0).estimate?.level).toBeCloseTo(familyLevel(1), 12);
    expect(cheapOf(40).estimate?.level).toBeCloseTo(familyLevel(1) / 5, 12);
  });

  const named = (prefix: string, n: number, losses: number) =>
    pairsWith(n, losses, 0).map((pair) => ({ ...pair, question: `${prefix} ${pair.question}` }));
  const looking = (...looks: readonly (readonly [n: number, losses: number])[]) => {
    const all = looks.map(([n, losses], look) => named(`look ${look}`, n, losses));
    return judged({
      objective: { max_regret: 0.05 },
      regrets: [{ arm: "cheap", pairs: all.at(-1)!, before: all.slice(0, -1) }],
    });
  };

  it("decides a later look by what was new at each look, none of which would do alone", () => {
    expect(looking([90, 0]).unmet).toEqual(["regret"]);
    expect(looking([90, 0], [90, 0]).verdict).toMatchObject({ clears: true, verdict: "equivalent" });
    expect(looking([90, 0], [90, 5]).verdict.verdict).toBe("continue");
    expect(looking([90, 30], [90, 30]).verdict.verdict).toBe("worse");
  });

  it("takes the same questions asked again for no evidence", () => {
    const pairs = named("once", 90, 0);
    const again = judged({
      objective: { max_regret: 0.05 },
      regrets: [{ arm: "cheap", pairs, before: [pairs, pairs, pairs] }],
    });
    expect(again.unmet).toEqual(["regret"]);
  });

  it("does not propose an arm that was proven once and now fails", () => {
    const fallen = looking([200, 0], [200, 0], [90, 27]);
    expect(fallen.unmet).toContain("regret");
    expect(fallen.verdict.verdict).toBe("worse");
    const sagging = looking([200, 0], [200, 0], [90, 6]);
    expect(sagging.unmet).toContain("agreement");
    expect(sagging.gate.proposes).toBeUndefined();
  });

  it("spends its error over families: the evidence that clears a first new arm does not clear the tenth", () => {
    const tried = Array.from({ length: 9 }, (_, k) => ({
      arm: `tried-${k}`,
      before: [named("then", 90, 9)],
      pairs: [],
    }));
    const fresh = { arm: "cheap", pairs: named("now", 130, 0) };
    const objective = { max_regret: 0.05 };
    expect(judged({ objective, regrets: [fresh] }).unmet).toEqual([]);
    const challengers = { cheap: at(1), ...Object.fromEntries(tried.map(({ arm }) => [arm, at(1)])) };
    const after = settingOf({ objective, challengers, regrets: [...oneByOne(tried), fresh] });
    expect(after.regrets.find(({ arm }) => arm === "cheap")?.evidence?.family).toBe(10);
    expect(after.regrets.find(({ arm }) => arm === "cheap")?.estimate?.high).toBeGreaterThan(0.05);
  });
});

describe("the balanced gate", () => {
  const balanced = { mode: "balanced", max_regret: 0.1, lambda: 0.5 } as const;

  it("weighs regret against cost relative to the incumbent", () => {
    const challengers = { a: at(1), b: at(2) };
    const regrets = [regretOf("a", 20, 0), regretOf("b", 0, 0), regretOf("default", 0, 0)];
    // a: 0.05 + λ·0.2, b: 0 + λ·0.4.
    expect(judged({ objective: balanced, challengers, regrets }, "a").gate.proposes).toBe("a");
    const quality = { ...balanced, lambda: 0.1 };
    expect(judged({ objective: quality, challengers, regrets }, "a").gate.proposes).toBe("b");
  });

  it("is not cleared by an arm that scores no lower than the incumbent", () => {
    const regrets = [regretOf("cheap", 20, 0), regretOf("default", 0, 0)];
    const { verdict, unmet } = judged({ objective: { ...balanced, lambda: 0.05 }, regrets });
    expect(unmet).toEqual(["score"]);
    expect(verdict.clauses.at(-1)).toMatchObject({
      clause: "score",
      challenger: expect.closeTo(0.06),
      incumbent: 0.05,
    });
  });

  it("is not cleared by an arm beyond a bound, however cheap", () => {
    expect(
      judged({ objective: balanced, regrets: [regretOf("cheap", 60, 0), regretOf("default", 0, 0)] }).unmet,
    ).toEqual(["regret"]);
  });

  it("is not cleared without the incumbent's own regret", () => {
    expect(judged({ objective: balanced, regrets: [regretOf("cheap", 0, 0)] }).unmet).toEqual(["score"]);
  });
});

describe("the verdict on an arm", () => {
  const verdict = (losses: number, wins: number, more: Setting = {}) =>
    judged({ regrets: [regretOf("cheap", losses, wins)], ...more }).verdict.verdict;

  it("is one of five words, by the bounds alone", () => {
    expect(verdict(0, 30)).toBe("better");
    expect(verdict(0, 0)).toBe("equivalent");
    expect(verdict(40, 0)).toBe("worse");
    expect(verdict(8, 4)).toBe("continue");
    expect(verdict(8, 4, { challengers: { cheap: at(1, { complete: false, stopped: "budget" }) } })).toBe(
      "inconclusive",
    );
  });

  it("is about what serves where there is no reference, and absent where nothing is estimated", () => {
    expect(judged({ reference: "none" }).verdict.verdict).toBe("equivalent");
    const few = { arm: "cheap", pairs: pairsWith(9, 9, 0) };
    expect(judged({ regrets: [few, { ...few, against: "default" }] }).verdict.verdict).toBeUndefined();
  });

  it("says of an open one how many more items it may take, how likely that is, and what they cost on all arms", () => {
    const regrets = [regretOf("cheap", 4, 4)];
    const { needs } = judged({ regrets }).verdict;
    expect(needs?.low).toBeGreaterThan(0);
    expect(needs?.high ?? Number.POSITIVE_INFINITY).toBeGreaterThan(needs?.low ?? 0);
    expect(needs?.chance).toBeGreaterThan(0.5);
    // (1 + 5 + 9) dollars per 1K conformant, 98% conformant.
    expect(Number(needs?.usd)).toBeCloseTo(((needs?.low ?? 0) * 15 * 0.98) / 1000, 6);
    const { usd: _, ...unpriced } = needs ?? { low: 0, chance: 0 };
    expect(judged({ regrets, reference: { cost_unknown: 2 } }).verdict.needs).toEqual(unpriced);
  });
});
