import { describe, expect, test } from "vitest";
import { layoutTable, printTable, tsvTable } from "../../../src/cli/output/table.ts";
import { fakeIo } from "../../support/hosts/fake-io.ts";

const columns = [
  { header: "route", shrink: true },
  { header: "usd", align: "decimal" as const },
  { header: "n", align: "right" as const },
];

describe("a table", () => {
  test("lines numbers up at their decimal point", () => {
    expect(
      layoutTable(
        columns,
        [
          ["a", "1.25", "3"],
          ["b", "10", "12"],
          ["c", "—", "1"],
        ],
        80,
      ),
    ).toEqual(["route    usd   n", "a       1.25   3", "b      10     12", "c          —   1"]);
  });

  test("shortens only the columns that may be shortened", () => {
    const [, row = ""] = layoutTable(columns, [["example.a_very_long_route_name", "12345.678901", "99"]], 30);
    expect(row).toBe("example.a_v…  12345.678901  99");
  });

  test("measures wide characters in terminal cells", () => {
    const lines = layoutTable([{ header: "名前" }, { header: "x" }], [["a", "1"]], 80);
    expect(lines).toEqual(["名前  x", "a     1"]);
  });

  test("is tab-separated and whole when stdout is no terminal", () => {
    const io = fakeIo({ columns: 10 });
    printTable(io, columns, [["example.a_very_long\troute", "1", "2"]]);
    expect(io.out()).toBe("route\tusd\tn\nexample.a_very_long route\t1\t2\n");
  });

  test("prints its header also without rows", () => {
    expect(tsvTable(columns, [])).toBe("route\tusd\tn\n");
  });
});
