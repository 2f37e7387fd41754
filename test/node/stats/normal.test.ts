import { describe, expect, it } from "vitest";
import { normalCdf, normalQuantile } from "../../../src/stats/normal.ts";
import { tCdf, tQuantile } from "../../../src/stats/student-t.ts";

describe("the normal distribution", () => {
  it("has its quantiles and probabilities", () => {
    expect(normalQuantile(0.975)).toBeCloseTo(1.959963984540054, 13);
    expect(normalQuantile(0.8)).toBeCloseTo(0.8416212335729143, 13);
    expect(normalQuantile(0.9875)).toBeCloseTo(2.241402727604947, 12);
    expect(normalQuantile(0.025)).toBe(-normalQuantile(0.975));
    expect(normalCdf(0)).toBe(0.5);
    expect(normalCdf(-1.96)).toBeCloseTo(0.024997895148220435, 14);
    expect([normalCdf(-40), normalCdf(40)]).toEqual([0, 1]);
    for (const p of [0, 1, Number.NaN]) expect(() => normalQuantile(p)).toThrow(RangeError);
    expect(() => normalCdf(Number.NaN)).toThrow(RangeError);
  });

  it("is what Student's t becomes, and t is symmetric", () => {
    expect(tQuantile(0.975, 1e6)).toBeCloseTo(1.959966356816, 8);
    expect(tCdf(-2, 7) + tCdf(2, 7)).toBeCloseTo(1, 14);
    expect(tCdf(1, 1)).toBeCloseTo(0.75, 13);
  });
});
