import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { QUERY_FAULT_CODES } from "../../../src/query/fault.ts";
import { AGGREGATE_FUNCTIONS, BUCKET_UNITS } from "../../../src/query/syntax.ts";
import { TABLES } from "../../../src/query/tables.ts";
import { compileQuery } from "../../../src/store/query/compile.ts";

const page = readFileSync(new URL("../../../docs/query.md", import.meta.url), "utf8");

describe("docs/query.md", () => {
  it("names every table, column, function and error", () => {
    const columns = Object.values(TABLES).flatMap(({ columns: all }) => Object.keys(all));
    for (const name of [...columns, ...QUERY_FAULT_CODES]) expect(page).toContain(`\`${name}\``);
    for (const name of Object.keys(TABLES)) expect(page).toContain(`**${name}**`);
    for (const name of [...AGGREGATE_FUNCTIONS, ...BUCKET_UNITS]) expect(page).toMatch(new RegExp(`\`${name}\\b`));
  });

  it("shows a query that is accepted", () => {
    const [, example = ""] = /```sql\n([\s\S]*?)```/.exec(page) ?? [];
    expect(compileQuery(example, { org: "org_a", now: 0 })).toMatchObject({ ok: true, value: { source: "rows" } });
  });
});
