import { describe, expect, it } from "vitest";
import { tQuantile } from "../../../src/stats/student-t.ts";
import {
  clopperPearson,
  fieller,
  logStandardError,
  plainDelta,
  wilsonCorrected,
} from "../../support/bakeoff/interval-rivals.ts";

describe("other intervals of a rate, which ours is compared with", () => {
  it.each([
    [81, 263, 0.2535, 0.3682, 0.252737, 0.367622],
    [15, 148, 0.0598, 0.1644, 0.057844, 0.16165],
    [0, 20, 0, 0.2005, 0, 0.168433],
    [1, 29, 0.0018, 0.1963, 0.000873, 0.177644],
    [0, 10, 0, 0.3445, 0, 0.308497],
    [10, 10, 0.6555, 1, 0.691503, 1],
    [9, 10, 0.5412, 0.9948, 0.554984, 0.997471],
    [80, 100, 0.7057, 0.8708, 0.708157, 0.873344],
  ])("have their published ends for %i of %i", (k, n, correctedLow, correctedHigh, exactLow, exactHigh) => {
    expect(wilsonCorrected(k, n).low).toBeCloseTo(correctedLow, 4);
    expect(wilsonCorrected(k, n).high).toBeCloseTo(correctedHigh, 4);
    expect(clopperPearson(k, n).low).toBeCloseTo(exactLow, 6);
    expect(clopperPearson(k, n).high).toBeCloseTo(exactHigh, 6);
  });
});

describe("intervals of the cost of a conformant output, on the ten published samples", () => {
  const costs = [0.0021, 0.0018, 0.0035, 0.0022, 0.0019, 0.0041, 0.002, 0.0024, 0.0017, 0.0028];
  const passes = [1, 1, 0, 1, 1, 0, 1, 1, 1, 1];
  const dear = [0.01, 0.012, 0.009, 0.015, 0.011, 0.01, 0.013, 0.012, 0.01, 0.014];
  const dearPasses = [1, 1, 1, 1, 0, 1, 1, 1, 1, 1];
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const psi = (c: readonly number[], y: readonly number[]) =>
    c.map((cost, i) => cost / mean(c) - (y[i] ?? 0) / mean(y));
  const t = tQuantile(0.975, 9);

  it("the log-delta one is the published one", () => {
    const reach = Math.exp(t * logStandardError(psi(costs, passes)));
    expect(3.0625 / reach).toBeCloseTo(1.691919, 6);
    expect(3.0625 * reach).toBeCloseTo(5.543355, 6);
  });

  it("the log-delta one of the paired ratio of two arms is too", () => {
    const theirs = psi(dear, dearPasses);
    const error = logStandardError(psi(costs, passes).map((value, i) => value - (theirs[i] ?? 0)));
    const ratio = 3.0625 / ((1000 * mean(dear)) / mean(dearPasses));
    expect(error).toBeCloseTo(0.328282, 6);
    expect(ratio * Math.exp(-t * error)).toBeCloseTo(0.113069, 6);
    expect(ratio * Math.exp(t * error)).toBeCloseTo(0.499319, 6);
  });

  it("Fieller's and the plain delta method's are theirs", () => {
    const exact = fieller(costs, passes);
    expect(exact?.g).toBeCloseTo(0.142149, 6);
    expect(exact?.low).toBeCloseTo(1.735619, 6);
    expect(exact?.high).toBeCloseTo(5.963562, 6);
    expect(plainDelta(costs, passes).low).toBeCloseTo(1.245309, 6);
    expect(plainDelta(costs, passes).high).toBeCloseTo(4.879691, 6);
    expect(fieller([1, 1, 1, 1], [1, 0, 0, 0])).toBeUndefined();
  });
});
