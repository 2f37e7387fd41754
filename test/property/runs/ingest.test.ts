/** Whatever way a set of items reaches the gateway, the same rows are there in the end. */
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { IngestItem, ItemResult } from "../../../src/runs/ingest.ts";
import { ingestBatch } from "../../../src/runs/ingest-batch.ts";
import { recordOf } from "../../../src/telemetry/record.ts";
import { localStore } from "../../support/hosts/local-database.ts";
import { anInference } from "../../support/store/inferences.ts";
import { rowsOf } from "../../support/store/org-rows.ts";

let local: Awaited<ReturnType<typeof localStore>>;
beforeAll(async () => {
  local = await localStore();
});
afterAll(async () => {
  local.store.close();
  await local.remove();
});

const NOW = 1_764_000_000_000;
const number = fc.nat({ max: 2 });
const hash = "ab".repeat(32);

/** One item per kind and number, always the same one: what is sent twice is a copy. */
const items: Readonly<Record<IngestItem["type"], (n: number) => unknown>> = {
  inference: (n) => ({
    type: "inference",
    inference: recordOf(
      anInference({
        org: "org_of_another",
        keyId: "key_of_another",
        id: `inf-${n}`,
        run: `run-${n}`,
        startedAt: at(n),
      }),
    ),
  }),
  run_start: (n) => ({
    type: "run_start",
    run: { id: `run-${n}`, pipeline: "p", episodeKey: "episode", tags: { n: `${n}` }, startedAt: NOW + n },
  }),
  run_end: (n) => ({ type: "run_end", run: { id: `run-${n}`, status: "succeeded", endedAt: NOW + 500 * (n - 1) } }),
  artifact: (n) => ({
    type: "artifact",
    artifact: { id: `art-${n}`, name: "a", type: "other", run: `run-${n}`, hash, bytes: n, createdAt: at(2 - n) },
  }),
  link: (n) => ({
    type: "link",
    link: { artifact: `art-${n}`, source: "art-0", relation: "consumed", createdAt: NOW },
  }),
  grade: (n) => ({
    type: "grade",
    grade: { id: `gr-${n}`, subject: SUBJECTS[n], score: n / 2, kind: "human", createdAt: NOW },
  }),
};
const SUBJECTS = [
  { kind: "inference", id: "inf-1" },
  { kind: "run", id: "episode" },
  { kind: "artifact", id: "art-2" },
];
/** Before or after the start of the run, and in different hours. */
const at = (n: number) => NOW + (n - 1) * 7_000_000;

const invalid = fc.constantFrom<unknown>(
  null,
  42,
  { type: "unheard" },
  { type: "grade", grade: { id: "gr-0", score: 2 } },
  { type: "run_end", run: { id: "run-0", status: "running", endedAt: NOW } },
  { type: "artifact", artifact: { id: "art-9", name: "a", type: "other", createdAt: NOW } },
);
const item = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ type: fc.constantFrom(...(Object.keys(items) as IngestItem["type"][])), number }),
  },
  { weight: 1, arbitrary: fc.record({ invalid }) },
);
type Drawn = { readonly type: IngestItem["type"]; readonly number: number } | { readonly invalid: unknown };
const made = (drawn: Drawn) => ("invalid" in drawn ? drawn.invalid : items[drawn.type](drawn.number));

async function send(org: string, batch: readonly unknown[]): Promise<readonly ItemResult[]> {
  const { store } = local;
  const sender = { org, keyId: "key_sender", fixedTags: {}, rows: undefined };
  return await ingestBatch(batch, sender, { ...store.forOrg(org), telemetry: store.telemetry }, NOW);
}

/** Sends batch after batch, then what was told to come later, until nothing moves any more. */
async function deliver(org: string, batches: readonly (readonly unknown[])[]): Promise<void> {
  const later: unknown[] = [];
  for (const batch of batches) {
    const results = await send(org, batch);
    expect(results.map(({ index }) => index)).toEqual(batch.map((_, index) => index));
    for (const { index, status } of results) if (status === "later") later.push(batch[index]);
  }
  const results = later.length > 0 ? await send(org, later) : [];
  for (const { status } of results) expect(status).not.toBe("refused");
}

function split<T>(all: readonly T[], sizes: readonly number[]): T[][] {
  const batches: T[][] = [];
  let from = 0;
  for (let turn = 0; from < all.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    batches.push(all.slice(from, from + size));
    from += size;
  }
  return batches;
}

let orgs = 0;

/** All rows of an org but what the audit log says of the way they came. */
async function dataOf(org: string): Promise<Readonly<Record<string, unknown>>> {
  const { audit_log: _, ...rows } = await rowsOf(local.connection, org);
  return rows;
}

it("valid, invalid and repeated items, in any order and any split, end in the same rows", async () => {
  const drawnItems = fc.array(fc.record({ item, rank: fc.nat(), repeated: fc.boolean() }), {
    minLength: 1,
    maxLength: 16,
  });
  const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(drawnItems, sizes, async (drawn, sizesOfBatches) => {
      orgs += 1;
      const [one, other] = [`org_one${orgs}`, `org_other${orgs}`];
      const all = drawn.map((it) => made(it.item));
      await deliver(one, [all]);
      const shuffled = [...drawn, ...drawn.filter(({ repeated }) => repeated)].sort((a, b) => a.rank - b.rank);
      await deliver(
        other,
        split(
          shuffled.map((it) => made(it.item)),
          sizesOfBatches,
        ),
      );
      const rows = await dataOf(one);
      expect(await dataOf(other)).toEqual(rows);
      expect(JSON.stringify(rows)).not.toContain("of_another");

      for (const { status } of await send(one, all)) expect(status).not.toBe("stored");
      expect(await dataOf(one)).toEqual(rows);
    }),
    { numRuns: 25 },
  );
});
