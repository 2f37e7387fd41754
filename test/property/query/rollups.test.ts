/** Hourly rollups are a faster way to the same answer: equal to the rows before and after late rows and retention. */
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Inference } from "../../../src/call/inference.ts";
import { failure } from "../../../src/failure/failure.ts";
import { nanoUsd } from "../../../src/money/nano-usd.ts";
import { seededRandom } from "../../../src/stats/random.ts";
import { type QueryDatabase, queryDatabase } from "../../support/hosts/query-database.ts";
import { anAttempt, someUsage } from "../../support/store/inferences.ts";
import { queries } from "../../support/store/query-texts.ts";

const HOUR = 3_600_000;
// The night Berlin's clocks go back, and hours around it.
const START = Date.UTC(2026, 9, 24, 20);
const HOURS = 9;
const random = seededRandom(11);
const oneOf = <T>(...all: readonly T[]): T => all[Math.floor(random() * all.length)]!;

let serial = 0;

function call(hour: number): Partial<Inference> {
  serial += 1;
  const startedAt = START + hour * HOUR + Math.floor(random() * HOUR);
  const cost = random() < 0.2 ? undefined : nanoUsd(Math.floor(random() * 1e9));
  const usage = oneOf(undefined, someUsage(), someUsage({ output: { total: undefined, reasoning: undefined } }));
  const client = oneOf("acme", "bolt", "", undefined);
  return {
    ...{ id: `inf_${serial}`, startedAt, cost, latencyMs: Math.floor(random() * 900) },
    ...{ lane: oneOf("live", "live", "raw", "replay", "judge"), route: oneOf("r1", "r2", undefined) },
    ...{ variant: oneOf("default", "cheap"), simulated: random() < 0.3, conformant: oneOf(true, false, undefined) },
    served: oneOf({ provider: "p1", model: "m1" }, { provider: "p2", model: "m2" }, undefined),
    failure: oneOf(undefined, undefined, failure("network", "away")),
    tags: { ...(client !== undefined && { client }), ...(random() < 0.9 && { request: `q${serial}` }) },
    attempts: [anAttempt({ id: `att_${serial}`, startedAt, cost, usage })],
  };
}

const VALUES = {
  ...{
    route: ["r1", "r2"],
    variant: ["default", "cheap"],
    served_variant: ["cheap"],
    lane: ["live", "replay", "judge"],
  },
  ...{
    provider: ["p1", "p2"],
    model: ["m1"],
    failure_class: ["network"],
    client: ["acme", "bolt"],
    request: ["q1", "q200"],
  },
};
const ROLLED = Object.keys(VALUES).filter((name) => name !== "client" && name !== "request");
const AGGREGATES = [
  ...["count(*)", "count(cost)", "sum(cost)", "avg(cost)", "min(cost)", "max(cost)", "conformance_rate"],
  ...["avg(latency_ms)", "min(latency_ms)", "max(latency_ms)", "sum(attempts)", "count(failure_class)"],
  ...["sum(input_tokens)", "avg(output_tokens)", "count(output_tokens)", "sum(cache_read_tokens)"],
];
const OPTIONS = {
  ...{
    tables: ["inferences"],
    values: VALUES,
    columns: [...ROLLED, "simulated", "ts"],
    aggregates: AGGREGATES,
    listings: 0,
  },
  zones: ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu"],
};
const at = (hours: number) => new Date(START + hours * HOUR).toISOString();

let database: QueryDatabase;
beforeAll(async () => {
  database = await queryDatabase();
  const calls = Array.from({ length: HOURS }, (_, hour) => Array.from({ length: 70 }, () => call(hour))).flat();
  await database.insert(calls);
  const { rollups } = database.store.forOrg("org_a");
  for (let hour = 0; hour < HOURS; hour += 1) if (hour !== 4) await rollups.rollUp(START + hour * HOUR);
  // Late rows make two of the hours stale again.
  await database.insert([call(2), call(2), call(6), { ...call(3), org: "org_b" }]);
});
afterAll(() => database.remove());

async function figures(text: string, access: object = {}) {
  const result = await database.ask(text, access);
  if (!result.ok) return { source: "refused", same: result };
  if ("explain" in result.value) throw new Error("explained");
  const { source, elapsed_ms: _, ...same } = result.value;
  return { source, same };
}

async function agree(text: string, access: object): Promise<boolean> {
  const [quick, slow] = [await figures(text, access), await figures(text, { ...access, rowsOnly: true })];
  expect({ text, same: quick.same }).toEqual({ text, same: slow.same });
  return quick.source === "rollups";
}

describe("rollups", () => {
  const times = [0, 0.5, 1, 2.25, 4, 5, 7.5, 8, 9].map(at);

  it.each([
    ["any question", queries({ ...OPTIONS, times }), {}],
    [
      "a question about one tag",
      queries({ ...OPTIONS, times, columns: ["lane", "simulated", "ts"], tags: ["client"] }),
      {},
    ],
    ["a tag of too many values", queries({ ...OPTIONS, times, columns: ["lane", "ts"], tags: ["request"] }), {}],
    [
      "a row scope",
      queries({ ...OPTIONS, times, columns: ["lane", "simulated", "ts"], tags: ["client"] }),
      { rowScope: { tags: { client: "acme" } } },
    ],
  ])("answer %s as the rows do", async (_what, texts, access) => {
    let used = 0;
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        used += Number(await agree(text, access));
      }),
      { numRuns: 150 },
    );
    expect(used).toBeGreaterThan(20);
  });

  it("answer the same after retention has moved some of the rows into them, and all", async () => {
    const hours = [0, 1, 2, 3, 5, 8, 9].map(at);
    const whole = fc.sample(queries({ ...OPTIONS, times: hours, tags: ["client"] }), { numRuns: 150, seed: 3 });
    const tagged = fc.sample(queries({ ...OPTIONS, times: hours, columns: ["lane", "ts"], tags: ["client"] }), {
      numRuns: 100,
      seed: 4,
    });
    const before: { readonly text: string; readonly same: unknown }[] = [];
    for (const text of [...whole, ...tagged]) {
      const answer = await figures(text);
      // A cut hour cannot be had back from its sum.
      if (answer.source === "rollups" && !/= '2|<= '2|> '2|BETWEEN/.test(text))
        before.push({ text, same: answer.same });
    }
    expect(before.length).toBeGreaterThan(40);
    const { rollups, retention } = database.store.forOrg("org_a");
    for (const hour of await rollups.staleHours(START + 99 * HOUR, 100)) await rollups.rollUp(hour);
    expect(await retention.advance(START + 5 * HOUR)).toBe(true);
    const again = async () => {
      for (const { text, same } of before) expect({ text, same: (await figures(text)).same }).toEqual({ text, same });
    };
    await again();
    await retention.moveRaw(120, { by: "test", at: 1 });
    await again();
    await retention.moveRaw(10_000, { by: "test", at: 2 });
    await again();
    const { same } = await figures("SELECT count(DISTINCT run) FROM inferences");
    expect(JSON.stringify(same)).toContain("past retention");
  });
});
