import { describe, expect, it } from "vitest";
import { decideRegrets } from "../../../src/bakeoff/evidence/decide-regrets.ts";
import type { LookRecord } from "../../../src/bakeoff/evidence/look-record.ts";
import { countedFigures, lookFigures, pairsWith, type RegretFigures } from "../../support/bakeoff/bakeoff-figures.ts";

const DAY_MS = 86_400_000;
const LIMIT = 0.05;

interface Asked {
  readonly arm: string;
  readonly n?: number;
  readonly losses?: number;
  /** Calls of the traffic that ask the one question `heavy`, which the arm always breaks. */
  readonly heavy?: number;
}

/** One look a day, each with questions of its own. */
function looksOf(...days: readonly (readonly Asked[])[]): { looks: LookRecord[]; last: RegretFigures[] } {
  const figures = days.map((asked, day) =>
    asked.map(({ arm, n = 100, losses = 0, heavy }): RegretFigures => {
      const own = pairsWith(n, losses, 0).map((pair) => ({ ...pair, question: `day ${day} ${pair.question}` }));
      const broken = heavy === undefined ? [] : pairsWith(1, 1, 0, { question: "heavy", weight: heavy });
      return { arm, pairs: [...own, ...broken], limit: LIMIT };
    }),
  );
  const looks = figures.map((one, day) =>
    lookFigures({ route: "acme.triage", bakeoff: `bo_${day}`, at: day * DAY_MS }, one),
  );
  return { looks, last: figures.at(-1) ?? [] };
}

function decided(...days: readonly (readonly Asked[])[]) {
  const { looks, last } = looksOf(...days);
  return decideRegrets(last.map(countedFigures), looks);
}

describe("the families of a route", () => {
  it("are numbered in the order in which they began, a restart among them", () => {
    const good = { arm: "a" };
    const broken = { arm: "a", losses: 40 };
    const [before] = decided([good], [broken], [good]);
    expect(before?.evidence).toMatchObject({ family: 2, family_arms: 1, restarted: true });
    // What begins after the restart has the share of the error that comes after it.
    const [, later] = decided([good], [broken], [good, { arm: "b" }]);
    expect(later?.evidence).toMatchObject({ family: 3, look: "first" });
    // And a later restart of another arm pays for itself.
    const [, other] = decided([good, { arm: "b" }], [broken], [good, { arm: "b", losses: 40 }]);
    expect(other?.evidence).toMatchObject({ family: 3, restarted: true });
  });

  it("of arms whose evidence one look voids are one", () => {
    const both = (losses: number) => ["a", "b"].map((arm) => ({ arm, losses }));
    for (const { evidence } of decided(both(0), both(40)))
      expect(evidence).toMatchObject({ family: 2, family_arms: 2, restarted: true });
  });

  it("gain nothing from an arm that was bad all along: there is no older evidence to void", () => {
    const [regret] = decided(...[0, 1, 2, 3].map(() => [{ arm: "a", losses: 30 }]));
    expect(regret?.evidence).toMatchObject({ family: 1, restarted: false, items: 400 });
  });
});

describe("traffic over several looks", () => {
  it("gives a question that every look asks the share that it has in each of them", () => {
    const day = [{ arm: "a", heavy: 100 }];
    for (const days of [1, 3, 10]) {
      const [regret] = decided(...Array.from({ length: days }, () => day));
      expect(regret?.evidence?.heavy).toMatchObject([{ asked: days }]);
      expect(regret?.evidence?.heavy[0]?.share).toBeCloseTo(0.5, 12);
      expect(regret?.estimate?.mean).toBeCloseTo(0.5, 12);
    }
  });
});
