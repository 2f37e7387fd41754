import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nanoUsd } from "../../../src/money/nano-usd.ts";
import { EVALUATION_LANES, LANES } from "../../../src/record/lane.ts";
import { percentile } from "../../../src/stats/percentile.ts";
import { wilson } from "../../../src/stats/wilson.ts";
import { type QueryDatabase, queryDatabase } from "../../support/hosts/query-database.ts";

let database: QueryDatabase;
const LATENCIES = [120, 80, 950, 300, 300, 77, 410];
beforeAll(async () => {
  database = await queryDatabase();
  const day = Date.UTC(2026, 6, 26, 12);
  await database.insert([
    ...LATENCIES.map((latencyMs, index) => ({ startedAt: day + index, latencyMs, route: "lat" })),
    { startedAt: day, route: "money", cost: nanoUsd(1), conformant: true },
    { startedAt: day, route: "money", cost: nanoUsd(2_500_000_000), conformant: true },
    { startedAt: day, route: "money", cost: undefined, conformant: false, simulated: true },
    { startedAt: day, route: "never-priced", cost: undefined, conformant: undefined },
    ...LANES.map((lane) => ({ startedAt: day, route: "any", lane })),
    // Berlin: the hour from 02:00 to 03:00 comes twice on 25 October, and not at all on 29 March.
    ...[
      "2026-10-24T21:59:59Z",
      "2026-10-24T22:00Z",
      "2026-10-25T00:30Z",
      "2026-10-25T01:30Z",
      "2026-10-25T22:59:59.999Z",
      "2026-10-25T23:00Z",
    ].map((at) => ({ startedAt: Date.parse(at), route: "autumn" })),
    ...["2026-03-29T00:59:59Z", "2026-03-29T01:00Z"].map((at) => ({ startedAt: Date.parse(at), route: "spring" })),
    ...["2024-12-29T23:30Z", "2024-12-30T00:00Z", "2025-01-05T23:59Z"].map((at) => ({
      startedAt: Date.parse(at),
      route: "weeks",
    })),
  ]);
});
afterAll(() => database.remove());

const rowsOf = async (text: string) => (await database.answer(text)).rows;

describe("money", () => {
  it("is exact decimal dollars, and unknown is not nothing", async () => {
    const { rows, notes } = await database.answer(
      "SELECT route, sum(cost), avg(cost), min(cost), count(cost), count(*) FROM inferences WHERE route LIKE '%e%' AND route NOT LIKE 'w%' AND ts BETWEEN '2026-07-26' AND '2026-07-27' GROUP BY route",
    );
    expect(rows).toEqual([
      ["money", "2.500000001", "1.250000001", "0.000000001", 2, 3],
      ["never-priced", null, null, null, 0, 1],
    ]);
    expect(notes.join("\n")).toContain("unpriced: 2 inferences of unknown cost");
    expect(notes.join("\n")).toContain("1 of the inferences counted are simulated");
    expect(notes.join("\n")).toContain("BETWEEN ends with the first moment");
  });

  it("is compared in dollars", async () => {
    expect(await rowsOf("SELECT count(*) FROM inferences WHERE cost = 0.000000001")).toEqual([[1]]);
    expect(await rowsOf("SELECT count(*) FROM inferences WHERE cost > 2.499999999")).toEqual([[1]]);
    expect(await rowsOf("SELECT route FROM inferences GROUP BY route HAVING sum(cost) >= 2.500000001")).toEqual([
      ["money"],
    ]);
  });
});

describe("figures", () => {
  it("percentiles are those of src/stats", async () => {
    const sorted = [...LATENCIES].sort((a, b) => a - b);
    const [row] = await rowsOf(
      "SELECT p50(latency_ms), p95(latency_ms), p99(latency_ms), count(*) FROM inferences WHERE route = 'lat'",
    );
    expect(row!.slice(0, 3).map((value) => Number(value).toFixed(6))).toEqual(
      [50, 95, 99].map((p) => percentile(sorted, p).toFixed(6)),
    );
    expect(await rowsOf("SELECT p95(cost), p95(latency_ms) FROM inferences WHERE route = 'nobody'")).toEqual([
      [null, null],
    ]);
    expect(await rowsOf("SELECT p50(cost) FROM inferences WHERE route = 'never-priced'")).toEqual([[null]]);
  });

  it("a conformance rate brings its counts and its interval", async () => {
    const { columns, rows } = await database.answer(
      "SELECT conformance_rate AS ok FROM inferences WHERE route = 'money'",
    );
    expect(columns.map(({ name }) => name)).toEqual(["ok", "ok_k", "ok_n", "ok_low", "ok_high"]);
    const { low, high } = wilson(2, 3)!;
    expect(rows).toEqual([[2 / 3, 2, 3, low, high]]);
    expect(await rowsOf("SELECT conformance_rate FROM inferences WHERE route = 'never-priced'")).toEqual([
      [null, 0, 0, null, null],
    ]);
  });
});

describe("lanes that evaluate a route", () => {
  const production = LANES.filter((lane) => !(EVALUATION_LANES as readonly string[]).includes(lane));

  it.each(["inferences", "attempts"])("are left out of %s and said to be, unless the lane is named", async (table) => {
    expect(production).toEqual(["live", "raw", "auto", "recorded", "cache"]);
    const out = await database.answer(`SELECT count(*) FROM ${table} WHERE route = 'any'`);
    expect(out.rows).toEqual([[production.length]]);
    expect(out.notes.join("\n")).toContain("replay, trial, judge, probe, reference, optimizer are left out");
    const named = await database.answer(`SELECT lane, count(*) FROM ${table} WHERE route = 'any' GROUP BY lane`);
    expect(new Set(named.rows.map(([lane]) => lane))).toEqual(new Set(LANES));
    expect(named.notes.join("\n")).not.toContain("left out");
  });
});

describe("time", () => {
  const by = (unit: string, route: string, zone: string) =>
    rowsOf(`SELECT ${unit}(ts), count(*) FROM inferences WHERE route = '${route}' GROUP BY 1 TIMEZONE '${zone}'`);

  it("days of a zone are as long as its clocks make them", async () => {
    expect(await by("day", "autumn", "Europe/Berlin")).toEqual([
      ["2026-10-24", 1],
      ["2026-10-25", 4],
      ["2026-10-26", 1],
    ]);
    expect(await by("day", "autumn", "UTC")).toEqual([
      ["2026-10-24", 2],
      ["2026-10-25", 4],
    ]);
  });

  it("an hour that comes twice is two hours, one that is leapt over is none", async () => {
    expect((await by("hour", "autumn", "Europe/Berlin")).map(([hour]) => hour)).toEqual([
      "2026-10-24T23:00:00+02:00",
      "2026-10-25T00:00:00+02:00",
      "2026-10-25T02:00:00+02:00",
      "2026-10-25T02:00:00+01:00",
      "2026-10-25T23:00:00+01:00",
      "2026-10-26T00:00:00+01:00",
    ]);
    expect((await by("hour", "spring", "Europe/Berlin")).map(([hour]) => hour)).toEqual([
      "2026-03-29T01:00:00+01:00",
      "2026-03-29T03:00:00+02:00",
    ]);
  });

  it("weeks are ISO weeks and begin on a Monday, months are the zone's", async () => {
    expect(await by("week", "weeks", "UTC")).toEqual([
      ["2024-12-23", 1],
      ["2024-12-30", 2],
    ]);
    expect(await by("week", "weeks", "Europe/Berlin")).toEqual([
      ["2024-12-30", 2],
      ["2025-01-06", 1],
    ]);
    expect(await by("month", "weeks", "Asia/Tokyo")).toEqual([
      ["2024-12", 2],
      ["2025-01", 1],
    ]);
  });

  it("literals without an offset are read in the zone, and said to be UTC without one", async () => {
    const where = "FROM inferences WHERE route = 'autumn' AND ts >= '2026-10-25' AND ts < '2026-10-26'";
    expect(await rowsOf(`SELECT count(*) ${where} TIMEZONE 'Europe/Berlin'`)).toEqual([[4]]);
    const utc = await database.answer(`SELECT count(*) ${where}`);
    expect(utc).toMatchObject({ rows: [[4]], timezone: "UTC" });
    expect(utc.notes.join("\n")).toContain("times are UTC");
    expect(
      await rowsOf("SELECT count(*) FROM inferences WHERE ts = '2026-10-25T02:30' TIMEZONE 'Europe/Berlin'"),
    ).toEqual([[1]]);
    expect(
      await rowsOf("SELECT count(*) FROM inferences WHERE ts = '2026-10-25T02:30+01:00' AND route = 'autumn'"),
    ).toEqual([[1]]);
  });

  it("times are shown in the zone", async () => {
    const text = "SELECT ts FROM inferences WHERE route = 'spring' ORDER BY ts LIMIT 1 TIMEZONE 'America/New_York'";
    expect(await rowsOf(text)).toEqual([["2026-03-28T20:59:59.000-04:00"]]);
  });
});

describe("limits", () => {
  it("says that there is more", async () => {
    expect(await database.answer("SELECT id FROM inferences LIMIT 2")).toMatchObject({ row_count: 2, truncated: true });
    expect(await database.answer("SELECT id FROM runs")).toMatchObject({ truncated: false, limit: 1_000 });
  });

  it("ends a query that takes too long", async () => {
    const { runner } = database;
    expect(await runner.run([{ sql: "SELECT 1", args: [] }], 0)).toMatchObject({
      ok: false,
      error: { code: "query_timeout" },
    });
  });

  it("a sum beyond the engine's numbers is a fault, one beyond exact numbers of JSON is not", async () => {
    const huge = { startedAt: Date.UTC(2026, 0, 1), route: "huge", cost: nanoUsd(Number.MAX_SAFE_INTEGER) };
    await database.insert([huge, huge, huge].map((row, index) => ({ ...row, id: `huge_${index}` })));
    expect(await rowsOf("SELECT sum(cost) FROM inferences WHERE route = 'huge'")).toEqual([["27021597.764222973"]]);
  });
});

describe("a database that is away", () => {
  it("rejects, as for any other reader", async () => {
    await database.stop();
    await expect(database.ask("SELECT id FROM runs")).rejects.toMatchObject({
      name: "StoreError",
      fault: "unreachable",
    });
    await database.start();
    expect((await database.answer("SELECT id FROM runs")).rows.length).toBeGreaterThan(0);
  });
});

describe("EXPLAIN", () => {
  it("shows the statement, its values, the source and why it is not the rollups", async () => {
    const result = await database.ask(
      "EXPLAIN SELECT route, p95(latency_ms) FROM inferences WHERE arm = 'x' GROUP BY route",
    );
    expect(result).toMatchObject({
      ok: true,
      value: {
        explain: {
          source: "rows",
          args: ["org_a", ...EVALUATION_LANES, "x", 1_001],
          why_not_rollups: ["rollups are not made by arm", "p95 needs every value"],
        },
      },
    });
    const quick = await database.ask("EXPLAIN SELECT route, sum(cost) FROM inferences GROUP BY route");
    expect(quick).toMatchObject({ ok: true, value: { explain: { source: "rollups", why_not_rollups: [] } } });
  });
});
