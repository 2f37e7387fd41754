import { describe, expect, it } from "vitest";
import { planText, readJournal, sampleText } from "../../../src/bakeoff/execution/journal.ts";
import type { Sample, SentBill } from "../../../src/bakeoff/execution/sample.ts";
import { reportOf } from "../../../src/bakeoff/report/assemble-report.ts";
import { nanoUsd } from "../../../src/money/nano-usd.ts";
import type { PriceBook } from "../../../src/money/price.ts";
import { inputs, journalOf, planOf, twoArmRoute } from "../../support/bakeoff/bakeoff-run.ts";

const N = 120;
const rate = (base: number) => ({ base, tiers: [] });

/** Dollars per million tokens; what is read from a cache costs a tenth. */
const bookOf = (dear: number, cheap: number): PriceBook => ({
  version: "test-book",
  find: (_provider, model) => {
    const input = model === "dear" ? dear : cheap;
    return { input: rate(input), output: rate(5 * input), cacheRead: rate(input / 10), version: "test-book" };
  },
});

const bill = (model: string, index: number, cached: number): SentBill => {
  const total = 1_000 + 10 * (index % 7);
  const input = { total, cacheRead: cached, uncached: total - cached };
  const usage = { input, output: { total: 100 }, estimated: false, raw: undefined };
  return { provider: "up", model, tier: "standard", usage, cost: nanoUsd(1) };
};

/** Bills of an older price book, which say that the challenger is nearly free. */
async function reported(book: PriceBook, cached: { readonly cheap: number }) {
  const route = await twoArmRoute();
  const plan = planOf(route, { inputs: inputs(N), metric: "conformance" });
  const samples = plan.inputs.flatMap(({ id }, index) =>
    plan.arms.map(({ name }): Sample => {
      const own = name === "cheap" ? bill("cheap", index, cached.cheap) : bill("dear", index, 0);
      return {
        ...{ arm: name, input: id, outcome: "conformant", costEstimated: false, repairCost: nanoUsd(0), latencyMs: 5 },
        ...{ attempts: 1, simulated: false, bills: [own], cost: nanoUsd(name === "cheap" ? 10_000 : 1_000_000) },
      };
    }),
  );
  const journal = planText(journalOf()) + samples.map(sampleText).join("");
  // As a resumed run reads them.
  const read = readJournal(journal)?.samples ?? [];
  const facts = { asked: N, seed: 1, startedAt: 0, finishedAt: 1, prices: { book, at: new Date(0) } };
  return reportOf(plan, { samples: read, stopped: new Map() }, facts);
}

describe("one price book", () => {
  it("prices every sample at the end: a saving by an old price is none", async () => {
    const report = await reported(bookOf(2, 4), { cheap: 0 });
    const [pair] = report.pairs;
    expect(pair?.cost_ratio?.ratio).toBeCloseTo(2, 9);
    expect(report.gate.proposes).toBeUndefined();
    expect(report.prices).toEqual({ version: "test-book", at: "1970-01-01T00:00:00.000Z" });
    // What was paid stays what was paid.
    expect(Number(report.arms.find(({ arm }) => arm === "cheap")?.spend_usd)).toBeCloseTo(N * 1e-5, 9);
  });

  it("decides without caches where they favour the challenger, and tells both", async () => {
    const report = await reported(bookOf(2, 2.4), { cheap: 950 });
    const [pair] = report.pairs;
    expect(pair?.cost_ratio).toMatchObject({ caches: "uncached" });
    expect(pair?.cost_ratio?.ratio).toBeCloseTo(1.2, 9);
    expect(pair?.cost_ratio_beside).toMatchObject({ caches: "as_billed" });
    expect(pair?.cost_ratio_beside?.ratio).toBeLessThan(0.8);
    expect(report.gate.verdicts[0]?.cost_separated).toBe(false);
    expect(report.gate.verdicts[0]?.clauses.find(({ clause }) => clause === "effective_cost")).toMatchObject({
      met: false,
      reason: expect.stringContaining("without caches"),
    });
  });

  it("finds the saving that is there on both bases", async () => {
    const report = await reported(bookOf(2, 1), { cheap: 500 });
    expect(report.gate.verdicts[0]).toMatchObject({ cost_separated: true });
    expect(report.pairs[0]?.cost_ratio?.ratio).toBeCloseTo(0.5, 9);
  });
});
