import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ArmReport } from "../../../src/bakeoff/analysis/arm-report.ts";
import type { PairedInput } from "../../../src/bakeoff/analysis/scores.ts";
import type { LookRecord } from "../../../src/bakeoff/evidence/look-record.ts";
import type { GateFigures } from "../../../src/bakeoff/gate/contest.ts";
import { decideGate } from "../../../src/bakeoff/gate/decide-gate.ts";
import { reportOf, reportWithEvidence } from "../../../src/bakeoff/report/assemble-report.ts";
import { bakeoffReport } from "../../../src/bakeoff/report/bakeoff-report.ts";
import { inconsistency } from "../../../src/bakeoff/report/consistency.ts";
import { nanoUsd } from "../../../src/money/nano-usd.ts";
import { seededRandom } from "../../../src/stats/random.ts";
import { analysedRun } from "../../support/bakeoff/bakeoff-analysis.ts";
import {
  armFigures,
  gateFigures,
  pairFigures,
  pairsWith,
  REFERENCE,
  regretFigures,
} from "../../support/bakeoff/bakeoff-figures.ts";
import { memoryEvidence } from "../../support/bakeoff/memory-evidence.ts";

interface ArmCase {
  readonly losses: number;
  readonly wins: number;
  readonly winsOverIncumbent: number;
  readonly usd: number;
}

interface Case {
  readonly n: number;
  readonly arms: readonly ArmCase[];
  readonly incumbent: ArmCase;
  readonly mode: "quality-first" | "balanced";
  readonly limit: number;
  readonly lambda: number;
  readonly ceiling: number | undefined;
}

const armCase = (n: number): fc.Arbitrary<ArmCase> =>
  fc.record({
    losses: fc.integer({ min: 0, max: Math.floor(n / 10) }),
    wins: fc.integer({ min: 0, max: Math.floor(n / 10) }),
    winsOverIncumbent: fc.integer({ min: 0, max: Math.floor(n / 5) }),
    usd: fc.integer({ min: 1, max: 20 }),
  });

const bakeoffCase: fc.Arbitrary<Case> = fc.constantFrom(12, 60, 200, 500).chain((n) =>
  fc.record({
    n: fc.constant(n),
    arms: fc.array(armCase(n), { minLength: 1, maxLength: 4 }),
    incumbent: armCase(n),
    mode: fc.constantFrom("quality-first", "balanced"),
    limit: fc.constantFrom(0.02, 0.05, 0.1, 0.3),
    lambda: fc.constantFrom(0, 0.01, 0.5),
    ceiling: fc.option(fc.integer({ min: 1, max: 20 }), { nil: undefined }),
  }),
);

const nameOf = (index: number): string => `arm-${index}`;

function figuresOf(one: Case, more: (arm: string) => Partial<ArmReport> = () => ({})): GateFigures {
  const { n, arms, incumbent, mode, limit, lambda, ceiling } = one;
  const size = (arm: string, usd: number) => ({
    ...{ sent: n, graded: n, conformant: n, effective: { usd_per_1k: usd } },
    ...more(arm),
  });
  const names = arms.map((_, index) => nameOf(index));
  const regrets = regretFigures(
    [
      { arm: "default", pairs: pairsWith(n, incumbent.losses, incumbent.wins), limit },
      ...arms.map(({ losses, wins }, index) => ({ arm: nameOf(index), pairs: pairsWith(n, losses, wins), limit })),
      ...arms.map(({ winsOverIncumbent }, index) => ({
        ...{ arm: nameOf(index), against: "default", limit },
        pairs: pairsWith(n, 0, winsOverIncumbent),
      })),
    ],
    { challengers: names },
  );
  return gateFigures({
    arms: [
      armFigures("default", { role: "incumbent", ...size("default", incumbent.usd) }),
      ...arms.map(({ usd }, index) => armFigures(nameOf(index), size(nameOf(index), usd))),
      armFigures(REFERENCE, { role: "reference", ...size(REFERENCE, 20) }),
    ],
    pairs: arms.map(({ usd }, index) => {
      const ratio = usd / incumbent.usd;
      return pairFigures(nameOf(index), {
        n_paired: n,
        cost_ratio: { ratio, low: 0.9 * ratio, high: 1.1 * ratio, level: 0.0076 },
      });
    }),
    regrets,
    objective: {
      mode,
      max_regret: limit,
      max_conformance_drop: 0.05,
      usd_per_1k: ceiling,
      lambda: mode === "balanced" ? lambda : undefined,
    },
  });
}

const proposedOf = (one: Case): string | undefined => decideGate(figuresOf(one)).proposes;

function withArm(one: Case, index: number, change: (arm: ArmCase) => ArmCase): Case {
  return { ...one, arms: one.arms.map((arm, at) => (at === index ? change(arm) : arm)) };
}

/** A bake-off's bounds take tens of milliseconds. */
const RUNS = Number(process.env["MODELRIG_FUZZ"] ?? 40);

describe("a gate", () => {
  it("never proposes an arm that it refused because the arm became worse", () => {
    fc.assert(
      fc.property(bakeoffCase, fc.nat(3), fc.constantFrom("tie to loss", "win to tie", "cost"), (one, at, what) => {
        const index = at % one.arms.length;
        const before = proposedOf(one);
        const worse = withArm(one, index, (arm) => {
          if (what === "cost") return { ...arm, usd: arm.usd + 3 };
          if (what === "win to tie") return { ...arm, wins: Math.max(0, arm.wins - 1) };
          return { ...arm, losses: arm.losses + 1 };
        });
        if (before !== nameOf(index)) expect(proposedOf(worse)).not.toBe(nameOf(index));
      }),
      { numRuns: RUNS },
    );
  });

  it("never clears an arm because another one became worse", () => {
    fc.assert(
      fc.property(bakeoffCase, fc.nat(3), (one, at) => {
        const index = at % one.arms.length;
        const worse = withArm(one, index, (arm) => ({ ...arm, losses: arm.losses + 2 }));
        const clears = (of: Case) => decideGate(figuresOf(of)).verdicts.filter((verdict) => verdict.clears);
        const before = clears(one).map(({ arm }) => arm);
        for (const { arm } of clears(worse)) expect(before).toContain(arm);
      }),
      { numRuns: RUNS },
    );
  });

  it("proposes nothing that is partial or unpriced, in any objective", () => {
    const spoiled: readonly Partial<ArmReport>[] = [
      { complete: false, stopped: "budget" },
      { complete: false, stopped: "interrupted" },
      { complete: false, stopped: "unpriced" },
      { cost_unknown: 1 },
    ];
    fc.assert(
      fc.property(bakeoffCase, fc.constantFrom(...spoiled), fc.nat(4), (one, spoil, at) => {
        const name = at % (one.arms.length + 1) === one.arms.length ? "default" : nameOf(at % (one.arms.length + 1));
        const figures = figuresOf(one, (arm) => (arm === name ? spoil : {}));
        for (const mode of ["quality-first", "balanced", "cost-first"] as const) {
          const { proposes } = decideGate({ ...figures, objective: { ...figures.objective, mode } });
          // What the incumbent lacks, every comparison lacks.
          if (name === "default") expect(proposes).toBeUndefined();
          else expect(proposes).not.toBe(name);
        }
      }),
      { numRuns: RUNS },
    );
  });

  it("proposes only what keeps every declared bound", () => {
    fc.assert(
      fc.property(bakeoffCase, (one) => {
        const figures = figuresOf(one);
        const { proposes } = decideGate(figures);
        if (proposes === undefined) return;
        const regret = figures.regrets.find(({ arm, against }) => arm === proposes && against === REFERENCE);
        expect(regret?.estimate?.high).toBeLessThanOrEqual(one.limit);
        const arm = figures.arms.find((each) => each.arm === proposes);
        if (one.ceiling !== undefined) expect(arm?.effective?.usd_per_1k).toBeLessThanOrEqual(one.ceiling);
      }),
      { numRuns: RUNS },
    );
  });

  it("does not depend on the order of the arms", () => {
    fc.assert(
      fc.property(bakeoffCase, (one) => {
        const figures = figuresOf(one);
        const turned = { ...figures, arms: [...figures.arms].reverse(), regrets: [...figures.regrets].reverse() };
        expect(decideGate(turned).proposes).toBe(decideGate(figures).proposes);
      }),
      { numRuns: RUNS },
    );
  });
});

describe("the bounds of a regret", () => {
  it("never fall because a tie became a loss", () => {
    fc.assert(
      fc.property(fc.integer({ min: 10, max: 300 }), fc.nat(20), fc.nat(20), (n, a, b) => {
        const losses = Math.min(a, n - 1);
        const wins = Math.min(b, n - 1 - losses);
        const high = (pairs: readonly PairedInput[]) =>
          regretFigures([{ arm: "cheap", pairs, limit: 0.05 }])[0]?.estimate?.high ?? -2;
        expect(high(pairsWith(n, losses + 1, wins))).toBeGreaterThanOrEqual(high(pairsWith(n, losses, wins)) - 1e-12);
      }),
      { numRuns: RUNS },
    );
  });

  it("with every missing pair lost are never lower than without", () => {
    fc.assert(
      fc.property(fc.integer({ min: 10, max: 200 }), fc.nat(9), fc.nat(9), fc.nat(50), (n, losses, wins, missing) => {
        const pairs = pairsWith(n, Math.min(losses, n - wins), wins);
        const [regret] = regretFigures([{ arm: "cheap", pairs, inputs: n + missing }]);
        expect(regret?.missing).toBe(missing);
        const { high = 2, high_if_missing_lost: worst = -2 } = regret?.estimate ?? {};
        expect(worst).toBeGreaterThanOrEqual(high);
      }),
      { numRuns: RUNS },
    );
  });
});

const OUTCOMES = ["conformant", "conformant", "conformant", "nonconformant", "failed", "refused"] as const;

describe("a report", () => {
  const shape = fc.record({
    inputs: fc.integer({ min: 1, max: 60 }),
    seed: fc.nat(1e6),
    metric: fc.constantFrom("conformance", "golden"),
    clusters: fc.option(fc.integer({ min: 1, max: 30 }), { nil: undefined }),
    weight: fc.constantFrom(1, 3),
  });

  it("follows from its own figures and satisfies its schema, whatever the samples were; input order does not matter", async () => {
    await fc.assert(
      fc.asyncProperty(shape, async ({ inputs, seed, metric, clusters, weight }) => {
        const random = seededRandom(seed);
        const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
        const { plan, run, facts } = await analysedRun({
          inputs,
          input: (index) => ({
            ...(clusters === undefined ? {} : { cluster: `c${index % clusters}` }),
            weight: index % 5 === 0 ? weight : 1,
          }),
          sample: () => {
            const outcome = pick(OUTCOMES);
            const attempts = outcome === "refused" ? Math.floor(random() * 2) : 1;
            const cost = random() < 0.01 ? undefined : nanoUsd(attempts * Math.floor(random() * 1e6));
            const quality = metric === "golden" ? { metric, score: pick([0, 0.25, 0.5, 1]) } : undefined;
            return { outcome, attempts, cost, quality };
          },
        });
        const refused = run.samples.filter(({ outcome }) => outcome === "refused").map(({ arm }) => arm);
        const stopped = new Map(refused.map((arm) => [arm, "budget"] as const));
        const planned = { ...plan, metric };
        const looks: LookRecord[] = [];
        const report = await reportWithEvidence(planned, { ...run, stopped }, facts, memoryEvidence(looks));
        const sent = bakeoffReport.parse(JSON.parse(JSON.stringify(report)));
        expect(inconsistency(sent, looks)).toBeUndefined();
        if (sent.partial) expect(sent.gate.proposes).toBeUndefined();
        const turned = await reportOf(
          { ...planned, inputs: [...plan.inputs].reverse() },
          { ...run, samples: [...run.samples].reverse(), stopped },
          facts,
        );
        expect(turned.gate.proposes).toBe(report.gate.proposes);
        for (const [index, regret] of report.regrets.entries()) {
          const [high = 2, other = 2] = [regret.estimate?.high, turned.regrets[index]?.estimate?.high];
          expect(other).toBeCloseTo(high, 10);
        }
      }),
      { numRuns: RUNS },
    );
  });
});
