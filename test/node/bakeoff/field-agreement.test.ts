import { describe, expect, it } from "vitest";
import { fieldAgreements } from "../../../src/bakeoff/analysis/field-agreement.ts";

const schema = {
  type: "object",
  properties: {
    kind: { type: "string" },
    lines: { type: "array", items: { type: "object", properties: { sku: { type: "string" }, n: { type: "number" } } } },
  },
};
const route = { output: { schema, ladder: [] } };
const answer = (input: string, arm: string, output: unknown) => ({ input, arm, output });
const order = (kind: string, ...ns: number[]) => ({ kind, lines: ns.map((n, i) => ({ sku: `s${i}`, n })) });

describe("agreement with what serves", () => {
  const outputs = [
    ...[answer("1", "default", order("a", 1, 2)), answer("1", "cheap", order("a", 1, 3))],
    ...[answer("2", "default", order("a", 1)), answer("2", "cheap", order("b", 1))],
    ...[answer("3", "default", order("a", 1)), answer("3", "cheap", { ...order("a", 2), extra: "secret words" })],
    answer("4", "default", order("a", 1)),
  ];
  const found = fieldAgreements(route, outputs, "default", ["cheap"]);

  it("is counted at each place of the schema on inputs that both answered, what differs most first", () => {
    expect(found.map(({ path, agree, n }) => [path, agree, n])).toEqual([
      ["", 0, 3],
      ["/lines/*/n", 1, 3],
      ["/kind", 2, 3],
      ["/lines/*/sku", 3, 3],
    ]);
  });

  it("has an interval at every place and never names what only answers hold", () => {
    for (const { rate, low, high } of found)
      expect([low <= rate, rate <= high, low < high]).toEqual([true, true, true]);
    expect(JSON.stringify(found)).not.toContain("extra");
  });
});
