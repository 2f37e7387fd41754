import { describe, expect, it } from "vitest";
import { TABLES } from "../../../src/query/tables.ts";
import { EVALUATION_LANES } from "../../../src/record/lane.ts";
import { compileQuery } from "../../../src/store/query/compile.ts";
import { compiledOrThrow } from "../../support/hosts/query-database.ts";

const faultOf = (text: string) => {
  const result = compileQuery(text, { org: "org_a", now: 0 });
  if (result.ok) throw new Error(`accepted: ${text}`);
  const { position, length } = result.error;
  return { ...result.error, at: text.slice(position, position + length) };
};

describe("a query", () => {
  it.each([
    ["in any case, over lines, with a semicolon", "select\n Route,\tCOUNT(*)\nfrom INFERENCES group BY route;"],
    ["with a quote in a text", "SELECT id FROM inferences WHERE route = 'it''s'"],
    [
      "with every clause",
      "EXPLAIN SELECT route AS r, sum(cost) s FROM inferences".replace(" s FROM", " AS s FROM") +
        " WHERE ts >= '2026-07-01' AND lane IN ('live','raw') GROUP BY r HAVING s > 0.5 ORDER BY s DESC, 1 LIMIT 5 TIMEZONE 'Europe/Berlin'",
    ],
    [
      "sorted by an aggregate it does not select",
      "SELECT route FROM inferences GROUP BY route ORDER BY p95(latency_ms) DESC",
    ],
    [
      "with conformance_rate, with and without brackets",
      "SELECT conformance_rate, conformance_rate(), conformance_rate(*) FROM inferences",
    ],
    [
      "whose item has the name of a column",
      "SELECT day(ts) AS ts, count(*) FROM inferences GROUP BY day(ts) ORDER BY ts",
    ],
  ])("%s is accepted", (_what, text) => {
    expect(compileQuery(text, { org: "org_a", now: 0 })).toMatchObject({ ok: true });
  });

  it.each([
    ["", "query_syntax", "", "SELECT"],
    ["SELEC route FROM inferences", "query_syntax", "SELEC", "did you mean select?"],
    ["SELECT * FROM inferences", "query_syntax", "*", "name the columns"],
    ["SELECT count() FROM inferences", "query_syntax", ")", "count(*)"],
    ["SELECT sum() FROM inferences", "query_syntax", ")", "sum(cost)"],
    ["SELECT day() FROM inferences", "query_syntax", ")", "day(ts)"],
    ["SELECT count FROM inferences", "query_column", "count", "count(*)"],
    ["SELECT DISTINCT route FROM inferences", "query_syntax", "DISTINCT", "GROUP BY"],
    ["SELECT served FROM inferences", "query_column", "served", "provider and model"],
    ["SELECT id FROM inferences WHERE success = TRUE", "query_column", "success", "failure_class IS NULL"],
    ["SELECT timestamp FROM inferences", "query_column", "timestamp", "write ts"],
    ["SELECT sum(cost_usd) FROM inferences", "query_column", "cost_usd", "write cost"],
    ["SELECT prompt_tokens FROM inferences", "query_column", "prompt_tokens", "input_tokens"],
    ["SELECT tags FROM inferences", "query_column", "tags", "tag.<name>"],
    ["SELECT median(cost) FROM inferences", "query_syntax", "median", "p50"],
    ["SELECT date_trunc('day', ts) FROM inferences", "query_syntax", "date_trunc", "day(ts)"],
    ["SELECT route FROM inferense", "query_table", "inferense", "did you mean inferences?"],
    ["SELECT route FROM api_keys", "query_table", "api_keys", "there are inferences, attempts, runs, grades"],
    ["SELECT modle FROM inferences", "query_column", "modle", "did you mean model"],
    ["SELECT org FROM inferences", "query_column", "org", "its own org"],
    ["SELECT client FROM inferences", "query_column", "client", "tag.client"],
    ["SELECT pipeline FROM inferences", "query_column", "pipeline", "runs have one"],
    ["SELECT comment FROM grades", "query_column", "comment", "tag."],
    ["SELECT coutn(*) FROM inferences", "query_syntax", "coutn", "did you mean count?"],
    ["SELECT sum(route) FROM inferences", "query_type", "route", "latency_ms"],
    ["SELECT day(route) FROM inferences", "query_type", "route", "ts"],
    ["SELECT route, count(*) FROM inferences", "query_grouping", "route", "add GROUP BY route"],
    ["SELECT route FROM inferences WHERE count(*) > 1", "query_grouping", "count(*)", "use HAVING"],
    ["SELECT route FROM inferences GROUP BY route HAVING route = 'x'", "query_grouping", "route", "use WHERE"],
    ["SELECT route FROM inferences GROUP BY 2", "query_column", "2", "1"],
    ["SELECT count(*) FROM inferences GROUP BY 1", "query_grouping", "1", "group by columns"],
    ["SELECT route FROM inferences WHERE route = NULL", "query_syntax", "NULL", "write IS NULL"],
    ["SELECT route FROM inferences WHERE route = live", "query_syntax", "live", "'live'"],
    ['SELECT route FROM inferences WHERE route = "x"', "query_syntax", '"', "'single quotes'"],
    ["SELECT route FROM inferences WHERE route = 'x", "query_syntax", "'x", "'it''s'"],
    ["SELECT route FROM inferences WHERE route = 'a' OR route = 'b'", "query_syntax", "OR", "AND only"],
    ["SELECT route FROM inferences JOIN runs", "query_syntax", "JOIN", "a query reads one table"],
    ["SELECT route FROM inferences LIMIT 5 WHERE route = 'x'", "query_syntax", "WHERE", "the order is"],
    ["SELECT route FROM inferences -- all", "query_syntax", "-", "no comments"],
    ["SELECT route FROM inferences WHERE cost = ?", "query_syntax", "?", "always bound"],
    ["SELECT route FROM inferences WHERE latency_ms > 'slow'", "query_type", "'slow'", "a number"],
    ["SELECT route FROM inferences WHERE ts > 1700000000", "query_type", "1700000000", "2026-07-26"],
    ["SELECT route FROM inferences WHERE ts > '2026-02-30'", "query_type", "'2026-02-30'", "2026-07-26"],
    ["SELECT route FROM inferences WHERE ts > 'yesterday'", "query_type", "'yesterday'", "2026-07-26"],
    ["SELECT route FROM inferences WHERE cost > 0.0000000001", "query_type", "0.0000000001", "nine decimals"],
    ["SELECT route FROM inferences WHERE stream > TRUE", "query_type", "stream > TRUE", "="],
    ["SELECT route FROM inferences WHERE latency_ms LIKE '1%'", "query_type", "latency_ms LIKE '1%'", "="],
    ["SELECT route FROM inferences LIMIT 0", "query_limit", "0", "1 to 10000"],
    ["SELECT route FROM inferences LIMIT 10001", "query_limit", "10001", "1 to 10000"],
    ["SELECT route FROM inferences TIMEZONE 'Mars/Olympus'", "query_timezone", "'Mars/Olympus'", "Europe/Berlin"],
    ["SELECT conformance_rate FROM attempts", "query_column", "conformance_rate", "ask it of inferences"],
    [`SELECT ${Array(33).fill("id").join(",")} FROM runs`, "query_limit", "id", ""],
    [`SELECT id FROM runs WHERE id IN (${Array(201).fill("'x'").join(",")})`, "query_limit", "'x'", ""],
    [`SELECT id FROM runs WHERE ${Array(33).fill("id = 'x'").join(" AND ")}`, "query_limit", "id", ""],
    ["SELECT id FROM runs WHERE id LIKE '%a%a%a%a%a%a%a%'", "query_limit", "'%a%a%a%a%a%a%a%'", ""],
  ])("%s is refused: %s at %j", (text, code, at, says) => {
    const fault = faultOf(text);
    expect(fault).toMatchObject({ code, at });
    expect([fault.message, fault.hint, ...fault.expected].join(" ")).toContain(says);
  });

  it.each(Object.keys(TABLES))("advises a query that is accepted in the place of SELECT * FROM %s", (table) => {
    const { hint = "" } = faultOf(`SELECT * FROM ${table} WHERE ts > '2026-07-26'`);
    const [advised = ""] = new RegExp(`SELECT .* FROM ${table}`).exec(hint) ?? [];
    expect(compileQuery(advised, { org: "org_a", now: 0 })).toMatchObject({ ok: true });
  });

  it("binds every literal and keeps its text out of the statement", () => {
    const { statement } = compiledOrThrow(
      "SELECT id FROM inferences WHERE route = 'x'' OR 1=1 --' AND cost >= 0.25 AND tag.client LIKE 'ac%' AND stream = TRUE AND ts < '2026-07-26'",
    );
    expect(statement.args).toEqual([
      "org_a",
      ...EVALUATION_LANES,
      "x' OR 1=1 --",
      250_000_000,
      '$."client"',
      "ac%",
      1,
      Date.UTC(2026, 6, 26),
      1_001,
    ]);
    expect(statement.sql).not.toMatch(/OR 1=1|client|ac%/);
  });

  it("asks for the org first, whatever it says", () => {
    for (const table of ["inferences", "attempts", "runs", "grades"]) {
      const { statement } = compiledOrThrow(`SELECT count(*) FROM ${table}`, { rowsOnly: true });
      expect(statement.sql).toMatch(/WHERE \w\.org = \?/);
      expect(statement.args[0]).toBe("org_a");
    }
  });
});
