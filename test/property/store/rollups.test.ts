import { type Client, createClient } from "@libsql/client/web";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { InferenceRecord } from "../../../src/record/inference-record.ts";
import { connect, type Database } from "../../../src/store/database/database.ts";
import { OrgRetention } from "../../../src/store/telemetry/retention.ts";
import { OrgRollups } from "../../../src/store/telemetry/rollups.ts";
import { HOUR_MS } from "../../../src/store/telemetry/stale-hours.ts";
import { recordOf } from "../../../src/telemetry/record.ts";
import { localStore } from "../../support/hosts/local-database.ts";
import { expectedSums, expectedTagSums, readSums, readTagSums } from "../../support/store/hourly-sums.ts";
import { inferences } from "../../support/store/inferences.ts";

const FIRST = 1_700_000_000_000 - (1_700_000_000_000 % HOUR_MS);
const HOURS = 6;
const END = FIRST + HOURS * HOUR_MS;

let local: Awaited<ReturnType<typeof localStore>>;
let db: Database;
let client: Client;
beforeAll(async () => {
  local = await localStore();
  db = connect(local.connection);
  client = createClient(local.connection);
});
afterAll(async () => {
  client.close();
  db.$client.close();
  local.store.close();
  await local.remove();
});

/** What may happen to an org, in any order. */
type Step =
  | { readonly type: "arrive"; readonly count: number }
  | { readonly type: "repeat"; readonly back: number }
  | { readonly type: "roll up"; readonly hours: number; readonly times: number }
  | { readonly type: "move the mark"; readonly to: number; readonly times: number }
  | { readonly type: "move raw rows"; readonly limit: number; readonly times: number }
  | { readonly type: "all at once"; readonly steps: readonly Step[] };

const times = fc.integer({ min: 1, max: 2 });
const single: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ type: fc.constant("arrive" as const), count: fc.integer({ min: 1, max: 8 }) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("repeat" as const), back: fc.nat({ max: 5 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constant("roll up" as const), hours: fc.integer({ min: 1, max: HOURS }), times }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant("move the mark" as const), to: fc.nat({ max: HOURS }), times }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant("move raw rows" as const), limit: fc.constantFrom(1, 3, 50), times }),
  },
);

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: single },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant("all at once" as const),
      steps: fc.array(single, { minLength: 2, maxLength: 4 }),
    }),
  },
);

/** Few names, so that groups meet; any instant of six hours, so that most arrivals are late. */
const someRecords: fc.Arbitrary<InferenceRecord[]> = (() => {
  const word = fc.constantFrom("a", "b", "");
  const own = fc.record({
    startedAt: fc.integer({ min: FIRST, max: END - 1 }),
    route: fc.option(word, { nil: undefined }),
    variant: fc.constantFrom("default", "cheap"),
    lane: fc.constantFrom("live" as const, "raw" as const),
    tags: fc.dictionary(fc.constantFrom("client", "feature", "it's"), word, { noNullPrototype: true }),
    simulated: fc.boolean(),
  });
  const one = fc.tuple(inferences(["org"]), own).map(([inference, fields]) => recordOf({ ...inference, ...fields }));
  return fc.array(one, { minLength: 1, maxLength: 60 });
})();

let made = 0;

describe("hourly sums", () => {
  it("together with raw rows are the sums of all records, whatever came when and whatever upkeep did meanwhile", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), someRecords, async (steps, drawn) => {
        made += 1;
        const org = `org_${made}`;
        const waiting = drawn.map((record, index) => ({ ...record, org, id: `inf_${index}` }));
        const arrived: InferenceRecord[] = [];
        const rollups = new OrgRollups(db, org);
        for (const next of steps) {
          await apply(next, org, waiting, arrived);
          expect(await readSums(client, org)).toEqual(expectedSums(arrived));
        }
        expect(await readTagSums(client, org)).toEqual(expectedTagSums(arrived));
        for (const variant of ["default", "cheap"]) {
          const served = arrived.filter(
            (record) => record.lane === "live" && record.route === "a" && record.variant === variant,
          );
          const since = FIRST + HOUR_MS;
          const counted = served.filter(({ startedAt }) => startedAt >= since);
          const conformant = counted.filter((record) => record.conformant === true);
          expect(await rollups.servedSince("a", variant, since)).toEqual({
            conformant: conformant.length,
            conformantPriced: conformant.filter(({ costNano }) => costNano !== null).length,
            priced: counted.filter(({ costNano }) => costNano !== null).length,
            cost: counted.reduce((sum, { costNano }) => sum + (costNano ?? 0), 0),
            simulated: counted.filter(({ simulated }) => simulated).length,
          });
        }
      }),
      { numRuns: 40 },
    );
  });
});

async function apply(next: Step, org: string, waiting: InferenceRecord[], arrived: InferenceRecord[]): Promise<void> {
  const rollups = new OrgRollups(db, org);
  const retention = new OrgRetention(db, org);
  const at = { by: "cycle:upkeep", at: END };
  const together = <T>(count: number, work: () => Promise<T>) => Promise.all(Array.from({ length: count }, work));
  switch (next.type) {
    case "arrive": {
      const batch = waiting.splice(0, next.count);
      await local.store.telemetry.insertInferences(batch);
      arrived.push(...batch);
      return;
    }
    case "repeat":
      await local.store.telemetry.insertInferences(arrived.slice(-1 - next.back));
      return;
    case "all at once":
      await Promise.all(next.steps.map((part) => apply(part, org, waiting, arrived)));
      return;
    case "roll up":
      await together(next.times, async () => {
        for (const hour of await rollups.staleHours(END, next.hours)) await rollups.rollUp(hour);
      });
      return;
    case "move the mark":
      await together(next.times, () => retention.advance(FIRST + next.to * HOUR_MS));
      return;
    case "move raw rows":
      await together(next.times, () => retention.moveRaw(next.limit, at));
      return;
  }
}
