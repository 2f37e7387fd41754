import { describe, expect, it } from "vitest";
import { ALPHA, familyLevel, laterLookLevel } from "../../../src/stats/alpha-spending.ts";
import { counted, logWealth } from "../../../src/stats/betting-bound.ts";
import { agreementOf as agreementOfMoments, lookMoments } from "../../../src/stats/contradiction.ts";
import { forecastItems } from "../../../src/stats/forecast.ts";
import { seededRandom } from "../../../src/stats/random.ts";
import { type AskedQuestion, trafficRegret } from "../../../src/stats/traffic-regret.ts";

const LEVEL = 0.0125;
const look = (n: number, losses: number): number[] => Array.from({ length: n }, (_, i) => (i < losses ? 1 : 0));
const question = (name: string, weight: number, ...differences: number[]): AskedQuestion => {
  return { question: name, weight, differences };
};
const agreementOf = (looks: readonly (readonly number[])[], limit: number, level: number) =>
  agreementOfMoments(looks.map(lookMoments), limit, level);
const light = (n: number, losses = 0): AskedQuestion[] => look(n, losses).map((d, i) => question(`q${i}`, 1, d));

describe("the error of a route", () => {
  it("is never more than α over first and later looks of any number of families", () => {
    const sum = Array.from({ length: 100_000 }, (_, i) => familyLevel(i + 1)).reduce((a, b) => a + b);
    expect(2 * sum).toBeLessThanOrEqual(ALPHA);
    expect(2 * sum).toBeGreaterThan(0.999 * ALPHA);
  });

  it("is spent on the first family by more than half, and never given back", () => {
    expect(familyLevel(1)).toBeCloseTo(0.0125 * 0.607927, 8);
    expect(familyLevel(2)).toBeCloseTo(familyLevel(1) / 4, 12);
    expect(laterLookLevel(0.01, 3)).toBeCloseTo((0.01 * 0.607927) / 9, 8);
    expect(() => familyLevel(0)).toThrow(RangeError);
  });
});

describe("newest looks against older ones", () => {
  it("agree where nothing changed", () => {
    expect(agreementOf([look(100, 1), look(100, 0), look(100, 2)], 0.05, LEVEL)).toEqual({ status: "agree" });
    expect(agreementOf([look(100, 30)], 0.05, LEVEL)).toEqual({ status: "agree" });
  });

  it("void what came before where the newest are beyond the limit by themselves, and say since when", () => {
    const looks = [look(100, 0), look(100, 0), look(100, 0), look(100, 0), look(90, 30)];
    expect(agreementOf(looks, 0.05, LEVEL)).toMatchObject({ status: "void", since: 4 });
  });

  it("void what came before where several small looks are beyond the limit together", () => {
    const looks = [look(400, 0), ...Array.from({ length: 4 }, () => look(12, 2))];
    const agreement = agreementOf(looks, 0.02, LEVEL);
    expect(agreement.status).toBe("void");
  });

  it("leave it open where the newest are worse than the older ones without being beyond the limit for sure", () => {
    expect(agreementOf([look(400, 0), look(100, 6)], 0.05, LEVEL)).toMatchObject({ status: "open", since: 1 });
  });

  it("leave it open where the newest do not support the limit by themselves", () => {
    expect(agreementOf([look(100, 2), look(60, 3)], 0.05, LEVEL)).toMatchObject({ status: "open", why: "unsupported" });
    expect(agreementOf([look(100, 2), look(5, 0)], 0.05, LEVEL)).toEqual({ status: "agree" });
  });
});

describe("regret weighted by traffic", () => {
  it("is that of the questions where each was asked once and none weighs much", () => {
    const regret = trafficRegret(light(200, 4), LEVEL);
    expect(regret).toMatchObject({ mean: 0.02, questions: 200, clusters: 200, sufficient: true, heavy: [] });
    expect(regret?.high).toBeGreaterThan(0.02);
    expect(regret?.high).toBeLessThan(0.07);
  });

  it("is not known where half of the traffic asks one question that was asked once", () => {
    const regret = trafficRegret([...light(299), question("hours", 299, 0)], LEVEL);
    expect(regret?.heavy).toMatchObject([{ question: "hours", asked: 1, low: -1, high: 1 }]);
    expect(regret?.high).toBeGreaterThan(0.5);
  });

  it("counts a heavy question that is always broken by its weight", () => {
    const broken = question("hours", 200, ...new Array<number>(30).fill(1));
    const regret = trafficRegret([...light(300), broken], LEVEL);
    expect(regret?.mean).toBeCloseTo(0.4, 12);
    expect(regret?.low).toBeGreaterThan(0.25);
  });

  it("holds a heavy question to its own repeats", () => {
    const asked = (times: number) => trafficRegret([...light(400), question("hours", 100, ...look(times, 0))], LEVEL);
    expect(asked(5)?.high).toBeGreaterThan(asked(100)?.high ?? 1);
    expect(asked(100)?.high).toBeLessThan(0.05);
  });

  it("is insufficient with few clusters, or with one that has most of the traffic", () => {
    const daily = light(300).map((one, i) => ({ ...one, cluster: `customer ${i % 15}` }));
    expect(trafficRegret(daily, LEVEL)).toMatchObject({ clusters: 15, sufficient: false });
    expect(trafficRegret([...light(100), question("hours", 101, 0, 0)], LEVEL)).toMatchObject({ sufficient: false });
    expect(trafficRegret([], LEVEL)).toBeUndefined();
  });

  it("counts questions of one customer as one", () => {
    const alone = trafficRegret(light(400, 8), LEVEL);
    const together = trafficRegret(
      light(400, 8).map((one, i) => ({ ...one, cluster: `customer ${Math.floor(i / 8)}` })),
      LEVEL,
    );
    expect(together?.mean).toBe(alone?.mean);
    expect(together?.high).toBeGreaterThan(alone?.high ?? 1);
  });
});

describe("a forecast of further items", () => {
  it("is a range that holds what really follows, as often as it says", () => {
    const random = seededRandom(5);
    let [within, decided] = [0, 0];
    for (let run = 0; run < 60; run++) {
      const draw = (): number => (random() < 0.01 ? 1 : random() < 0.01 ? -1 : 0);
      const seen = Array.from({ length: 80 }, draw);
      const forecast = forecastItems(counted(seen), 0.05, LEVEL, random);
      const future = counted(seen);
      let more = 0;
      for (; logWealth(future, 0.05) < Math.log(1 / LEVEL) && more < 4000; more++) {
        const d = draw();
        future.set(d, (future.get(d) ?? 0) + 1);
      }
      decided++;
      if (forecast && more >= 0.8 * forecast.low && more <= 1.2 * (forecast.high ?? Number.POSITIVE_INFINITY)) within++;
    }
    expect(within / decided).toBeGreaterThan(0.7);
  });

  it("says that an arm as bad as the limit has little chance", () => {
    const forecast = forecastItems(counted(look(200, 16)), 0.05, LEVEL, seededRandom(3));
    expect(forecast?.chance).toBeLessThan(0.4);
    expect(forecast?.high).toBeUndefined();
  });

  it("is nothing where it is decided, and not given for a handful of items", () => {
    expect(forecastItems(counted(look(300, 0)), 0.05, LEVEL, seededRandom(3))).toMatchObject({
      low: 0,
      high: 0,
      chance: 1,
    });
    expect(forecastItems(counted(look(9, 0)), 0.05, LEVEL, seededRandom(3))).toBeUndefined();
  });
});
