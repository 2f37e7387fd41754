import { describe, expect, it } from "vitest";
import { columnDecimals, formatUsd } from "../../../src/money/format.ts";
import { nanoUsd } from "../../../src/money/nano-usd.ts";

describe("an amount for people", () => {
  it.each([
    [0, "$0"],
    [1, "$0.000000001"],
    [123, "$0.000000123"],
    [1_234, "$0.00000123"],
    [999_999, "$0.00100"],
    [4_640_000, "$0.00464"],
    [123_000_000, "$0.123"],
    [500_000_000, "$0.500"],
    [999_400_000, "$0.999"],
    [999_600_000, "$1.00"],
    [12_885_000_000, "$12.89"],
    [1_234_500_000_000, "$1,234.50"],
    [9_999_994_000_000, "$9,999.99"],
    [9_999_995_000_000, "$10,000"],
    [30_270_400_000_000, "$30,270"],
    [-1_500_000_000, "\u2212$1.50"],
  ])("%i nano-dollars print as %s", (amount, text) => expect(formatUsd(nanoUsd(amount))).toBe(text));

  it("marks an estimate", () => expect(formatUsd(nanoUsd(-4_640_000), { estimated: true })).toBe("~\u2212$0.00464"));

  it("prints a column in one precision that shows every amount that is not zero", () => {
    const amounts = [12_890_000_000, 4_640_000, 0, -30_000_000].map(nanoUsd);
    const decimals = columnDecimals(amounts);
    expect(amounts.map((amount) => formatUsd(amount, { decimals }))).toEqual([
      "$12.890",
      "$0.005",
      "$0.000",
      "\u2212$0.030",
    ]);
    expect(columnDecimals([])).toBe(0);
  });
});
