import { describe, expect, it } from "vitest";
import type { ArmReport } from "../../../src/bakeoff/analysis/arm-report.ts";
import type { RegretReport } from "../../../src/bakeoff/analysis/regret-report.ts";
import type { GateFigures } from "../../../src/bakeoff/gate/contest.ts";
import { decideGate } from "../../../src/bakeoff/gate/decide-gate.ts";
import type { ClauseName } from "../../../src/bakeoff/gate/gate-report.ts";
import type { ObjectiveReport } from "../../../src/bakeoff/report/bakeoff-report.ts";
import {
  armFigures,
  gateFigures,
  pairFigures,
  pairsWith,
  REFERENCE,
  type RegretFigures,
  regretFigures,
} from "../../support/bakeoff-figures.ts";

const N = 400;
const size = { sent: N, graded: N, conformant: 392 };
const at = (usd: number, more: Partial<ArmReport> = {}) => ({ ...size, effective: { usd_per_1k: usd }, ...more });

interface Setting {
  readonly challengers?: Readonly<Record<string, Partial<ArmReport>>>;
  readonly incumbent?: Partial<ArmReport>;
  readonly reference?: Partial<ArmReport> | "none";
  readonly objective?: Partial<ObjectiveReport>;
  readonly regrets?: readonly RegretFigures[];
}

/** `cheap` at a fifth of the incumbent's cost and without a difference to the reference, unless told otherwise. */
function settingOf(setting: Setting = {}): GateFigures {
  const { challengers = { cheap: at(1) }, incumbent, reference } = setting;
  const objective = { mode: "quality-first" as const, max_regret: 0.02, ...setting.objective };
  const names = Object.keys(challengers);
  const all: readonly RegretFigures[] =
    setting.regrets ?? [...names, "default"].map((arm) => ({ arm, pairs: pairsWith(N, 0, 0) }));
  const regrets = regretFigures(
    all.map((regret) => ({ ...regret, look: { family: names.length, ...regret.look } })),
    { epsilon: objective.max_regret, challengers: names },
  );
  return gateFigures({
    arms: [
      armFigures("default", { role: "incumbent", ...at(5), ...incumbent }),
      ...names.map((name) => armFigures(name, challengers[name])),
      ...(reference === "none" ? [] : [armFigures(REFERENCE, { role: "reference", ...at(9), ...reference })]),
    ],
    pairs: names.map((name) => pairFigures(name, { n_paired: N })),
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
    ["it costs no less and is no better", { challengers: { cheap: at(5) } }, "improvement"],
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
    expect(judged({ challengers: { up: at(7) }, regrets }, "up").unmet).toEqual(["improvement"]);
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
    const barely = { arm: "cheap", pairs: pairsWith(260, 0, 0) };
    expect(judged({ regrets: [barely] }).verdict.clears).toBe(true);
    const others = ["b", "c", "d", "e"].map((arm) => ({ arm, pairs: pairsWith(260, 60, 0) }));
    const challengers = Object.fromEntries(["cheap", "b", "c", "d", "e"].map((arm) => [arm, at(1)]));
    expect(judged({ regrets: [barely, ...others], challengers }).unmet).toEqual(["regret"]);
  });

  it("steps down as Holm does: arms that are through leave more of the error to the rest", () => {
    const clear = ["b", "c", "d", "e"].map((arm) => ({ arm, pairs: pairsWith(400, 0, 0) }));
    const challengers = Object.fromEntries(["cheap", "b", "c", "d", "e"].map((arm) => [arm, at(1)]));
    const figures = settingOf({ regrets: [{ arm: "cheap", pairs: pairsWith(260, 0, 0) }, ...clear], challengers });
    const cheap = figures.regrets.find(({ arm }) => arm === "cheap") as RegretReport;
    expect(cheap.estimate?.high).toBeLessThanOrEqual(0.02);
    // The bound that decided is shown, and beside it the one corrected for all five.
    expect(cheap.estimate?.level).toBeCloseTo(0.0125, 12);
    expect(cheap.estimate?.corrected.high).toBeGreaterThan(0.02);
  });

  it("decides a later look by the bound of the e-process, whatever the pairs of this one say", () => {
    const look = { kind: "later", number: 3, items: 900, fresh: 100, family: 1 } as const;
    const later = (low: number, high: number) =>
      judged({ regrets: [{ arm: "cheap", pairs: pairsWith(N, 0, 0), look: { ...look, bounds: [{ low, high }] } }] });
    expect(later(-0.05, 0.02).verdict).toMatchObject({ clears: true, verdict: "equivalent" });
    expect(later(-0.05, 0.025).verdict).toMatchObject({ clears: false, verdict: "continue" });
    expect(later(0.02, 1).verdict).toMatchObject({ clears: false, verdict: "worse" });
    // What excludes both sides contradicts itself.
    expect(later(0.02, 0.015).verdict).toMatchObject({ clears: false, verdict: "inconclusive" });
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

  it("is absent where regret is not measured", () => {
    expect(judged({ reference: "none" }).verdict.verdict).toBeUndefined();
    expect(judged({ regrets: [{ arm: "cheap", pairs: pairsWith(9, 9, 0) }] }).verdict.verdict).toBeUndefined();
  });

  it("says of an open one how many more pairs it takes, and about what they cost on all arms", () => {
    const regrets = [regretOf("cheap", 8, 4, { look: { more: 500 } })];
    const { verdict: open } = judged({ regrets });
    // (1 + 5 + 9) dollars per 1K conformant, 98% conformant.
    expect(open.needs).toEqual({ pairs: 500, usd: "7.350000000" });
    const unpriced = judged({ regrets, reference: { cost_unknown: 2 } }).verdict;
    expect(unpriced.needs).toEqual({ pairs: 500 });
    expect(judged({ regrets: [regretOf("cheap", 8, 4)] }).verdict.needs).toBeUndefined();
  });
});
