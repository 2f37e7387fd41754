import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const at = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

const rows = at("docs/fault-table.md")
  .split("\n")
  .filter((line) => /^\| G\d{3} /.test(line))
  .map((line) => {
    const [id = "", report = "", , file = "", title = ""] = line
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim());
    return { id, report, file: file.replaceAll("`", ""), title };
  });

/** Titles of tests and names of their cases: string literals, never comments or code. */
const literals = (source: string): string[] => source.match(/"(?:[^"\\\n]|\\.)*"/g) ?? [];

describe("docs/fault-table.md", () => {
  it("lists the 82 reported faults once each, in order", () => {
    const ids = rows.map(({ id }) => id);
    expect(ids).toHaveLength(82);
    expect(ids).toEqual([...new Set(ids)].sort());
    for (const { report } of rows) expect(report).toMatch(/^[\w.-]+\/[\w.-]+#\d+$/);
  });

  it.each(rows)("$id is held off by a test of that name", ({ file, title }) => {
    expect(file).toMatch(/^test\/.+\.test\.ts$/);
    expect(title.length).toBeGreaterThan(8);
    expect(literals(at(file)).filter((literal) => literal.includes(title))).not.toEqual([]);
  });
});
