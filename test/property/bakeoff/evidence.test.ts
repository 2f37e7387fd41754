import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decideRegrets } from "../../../src/bakeoff/evidence/decide-regrets.ts";
import type { LookRecord } from "../../../src/bakeoff/evidence/look-record.ts";
import { SimulatedRoute } from "../../bench/stats/gate/propose.ts";
import type { SimulatedArm, SimulatedLook } from "../../bench/stats/gate/simulated-look.ts";
import { countedFigures, lookFigures, pairsWith, type RegretFigures } from "../../support/bakeoff/bakeoff-figures.ts";

const RUNS = Number(process.env["MODELRIG_FUZZ"] ?? 40);
const DAY_MS = 86_400_000;
const LIMIT = 0.1;

interface Asked {
  readonly n: number;
  readonly losses: number;
  /** Begins the names of its questions: looks of one name ask the same. */
  readonly questions: string;
}

function figuresOf({ n, losses, questions }: Asked): RegretFigures {
  const pairs = pairsWith(n, Math.min(n, losses), 0);
  return {
    arm: "cheap",
    limit: LIMIT,
    pairs: pairs.map((pair) => ({ ...pair, question: `${questions} ${pair.input}` })),
  };
}

/** The regret at the last of the looks, one a day. */
function regretAfter(looks: readonly Asked[]) {
  const figures = looks.map(figuresOf);
  const records = figures.map(
    (one, day): LookRecord => lookFigures({ route: "acme.triage", bakeoff: `bo_${day}`, at: day * DAY_MS }, [one]),
  );
  return decideRegrets(figures.slice(-1).map(countedFigures), records)[0];
}

const looks = fc
  .array(fc.record({ n: fc.integer({ min: 10, max: 120 }), losses: fc.nat(6) }), { minLength: 2, maxLength: 6 })
  .map((all) => all.map((one, index): Asked => ({ ...one, questions: `look ${index}` })));

describe("evidence of several looks", () => {
  it("bounds the regret alike in whatever order the looks came", () => {
    fc.assert(
      fc.property(looks, (all) => {
        const [one, other] = [regretAfter(all), regretAfter([...all].reverse())];
        fc.pre(one?.evidence?.restarted === false && other?.evidence?.restarted === false);
        expect(other?.estimate?.high).toBeCloseTo(one?.estimate?.high ?? 2, 9);
        expect(other?.estimate?.mean).toBeCloseTo(one?.estimate?.mean ?? 2, 9);
      }),
      { numRuns: RUNS },
    );
  });

  it("gains nothing from questions that are asked again, whatever the answers were then", () => {
    fc.assert(
      fc.property(looks, fc.nat(6), fc.nat(5), (all, losses, at) => {
        const again = { ...(all[at % all.length] ?? { n: 10, questions: "" }), losses };
        const once = regretAfter(all);
        const twice = regretAfter([...all.slice(0, -1), again, ...all.slice(-1)]);
        fc.pre(once?.evidence?.restarted === false && twice?.evidence?.restarted === false);
        fc.pre(again.questions !== all.at(-1)?.questions);
        expect(twice?.estimate?.of_items).toEqual(once?.estimate?.of_items);
        expect(twice?.estimate?.high ?? -2).toBeGreaterThanOrEqual(once?.estimate?.of_items.high ?? 2);
      }),
      { numRuns: RUNS },
    );
  });

  it("has at most what a first look at all of it would have, and no level beyond its family's", () => {
    fc.assert(
      fc.property(looks, (all) => {
        const { estimate, evidence } = regretAfter(all) ?? {};
        expect(estimate?.level).toBeLessThanOrEqual(0.0125);
        expect(estimate?.low).toBeLessThanOrEqual(estimate?.mean ?? -2);
        expect(estimate?.high).toBeGreaterThanOrEqual(estimate?.mean ?? 2);
        expect(evidence?.items).toBeLessThanOrEqual(all.reduce((sum, { n }) => sum + n, 0));
      }),
      { numRuns: RUNS },
    );
  });
});

interface Shape {
  readonly n: number;
  readonly losses: number;
  readonly customers?: number;
  readonly arm?: Partial<SimulatedArm>;
}

function lookOf(day: number, { n, losses, customers, arm }: Shape): SimulatedLook {
  return {
    ...{ bakeoff: `bo_${day}`, day, mode: "quality-first", limit: LIMIT },
    inputs: Array.from({ length: n }, (_, i) => ({
      ...{ question: `day ${day} q${i}`, weight: 1 },
      customer: customers === undefined ? undefined : `c${i % customers}`,
    })),
    incumbent: { scores: Array.from({ length: n }, () => 1), costs: Array.from({ length: n }, () => 10_000_000) },
    arms: [
      {
        ...{ name: "cheap", serves: 1, isForbidden: false },
        scores: Array.from({ length: n }, (_, i) => (i < losses ? 0 : 1)),
        costs: Array.from({ length: n }, () => 2_000_000),
        ...arm,
      },
    ],
  };
}

async function reportsOf(shapes: readonly Shape[]) {
  const route = new SimulatedRoute();
  const reports: Awaited<ReturnType<typeof route.report>>[] = [];
  for (const [day, shape] of shapes.entries()) reports.push(await route.report(lookOf(day, shape)));
  return reports;
}

describe("the gate over several looks", () => {
  it("proposes an arm that is proven, and never one on thin evidence", async () => {
    const [proven] = await reportsOf([{ n: 120, losses: 0 }]);
    expect(proven?.gate.proposes).toBe("cheap");
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ n: fc.integer({ min: 10, max: 150 }), customers: fc.integer({ min: 1, max: 19 }) }), {
          minLength: 1,
          maxLength: 4,
        }),
        async (few) => {
          for (const { gate } of await reportsOf(few.map((one) => ({ ...one, losses: 0 }))))
            expect(gate.proposes).toBeUndefined();
        },
      ),
      { numRuns: RUNS },
    );
  });

  it("never proposes where the newest look contradicts what came before, however much that was", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 40, max: 120 }), async (proofs, n) => {
        const proven = Array.from({ length: proofs }, () => ({ n: 120, losses: 0 }));
        const last = (await reportsOf([...proven, { n, losses: Math.ceil(n / 3) }])).at(-1);
        expect(last?.gate.proposes).toBeUndefined();
        const regret = last?.regrets.find(({ arm }) => arm === "cheap");
        expect(regret?.evidence).toMatchObject({ restarted: true, number: 1 });
      }),
      { numRuns: Math.ceil(RUNS / 4) },
    );
  });

  it("says the same of an arm that is called otherwise and padded with blanks", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(8), { minLength: 2, maxLength: 4 }), async (losses) => {
        const shapes = losses.map((lost) => ({ n: 60, losses: lost }));
        const renamed = shapes.map((shape, day) => ({ ...shape, arm: { name: `variant${day}`, blanks: day } }));
        const [one, other] = [(await reportsOf(shapes)).at(-1), (await reportsOf(renamed)).at(-1)];
        const figures = (report: typeof one) =>
          report?.regrets.map(({ estimate, evidence }) => ({ estimate, evidence }));
        expect(figures(other)).toEqual(figures(one));
        expect(other?.gate.proposes === undefined).toBe(one?.gate.proposes === undefined);
      }),
      { numRuns: Math.ceil(RUNS / 4) },
    );
  });
});
