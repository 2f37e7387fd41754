import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import type { LookRecord } from "../../../src/bakeoff/evidence/look-record.ts";
import { planText, readJournal, sampleText } from "../../../src/bakeoff/execution/journal.ts";
import { runBakeoff } from "../../../src/bakeoff/execution/run-bakeoff.ts";
import type { Sample } from "../../../src/bakeoff/execution/sample.ts";
import { replayEnvelope } from "../../../src/bakeoff/plan/bakeoff-envelopes.ts";
import { reportWithEvidence } from "../../../src/bakeoff/report/assemble-report.ts";
import { bakeoffReport } from "../../../src/bakeoff/report/bakeoff-report.ts";
import { inconsistency } from "../../../src/bakeoff/report/consistency.ts";
import { replayLedger } from "../../../src/cli/replay-ledger.ts";
import { failure } from "../../../src/failure/failure.ts";
import { addUsd, nanoUsd, usdToNano, ZERO_USD } from "../../../src/money/nano-usd.ts";
import type { Route } from "../../../src/route/route.ts";
import { seededRandom } from "../../../src/stats/random.ts";
import {
  type FakeCall,
  fakeEngine,
  inputs,
  journalOf,
  planOf,
  twoArmRoute,
} from "../../support/bakeoff/bakeoff-run.ts";
import { memoryEvidence } from "../../support/bakeoff/memory-evidence.ts";

let route: Route;
beforeAll(async () => {
  route = await twoArmRoute();
});

const call: fc.Arbitrary<FakeCall> = fc
  .record({
    worstCase: fc.integer({ min: 0, max: 1_000 }),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    fate: fc.constantFrom("conformant", "nonconformant", "network"),
    retried: fc.boolean(),
  })
  .map(({ worstCase, share, fate, retried }) => ({
    ...(retried && { firstAttempt: Math.floor(worstCase * share) }),
    worstCase,
    cost: Math.floor(worstCase * share),
    ...(fate === "nonconformant" && { failure: failure("content_invalid", "bad") }),
    ...(fate === "network" && { failure: failure("network", "cut") }),
  }));

const scenario = fc.record({
  calls: fc.array(call, { minLength: 1, maxLength: 12 }),
  count: fc.integer({ min: 1, max: 25 }),
  budget: fc.integer({ min: 0, max: 6_000 }),
  concurrency: fc.integer({ min: 1, max: 12 }),
  seed: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
  stopAfter: fc.option(fc.integer({ min: 1, max: 40 }), { nil: undefined }),
});

describe("whatever calls cost, fail and overlap", () => {
  it("an arm never spends past its budget, and the report follows from its samples", async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async ({ calls, count, budget, concurrency, seed, stopAfter }) => {
        const plan = planOf(route, { inputs: inputs(count), budgetPerArm: nanoUsd(budget), concurrency });
        const ledger = replayLedger(() => 0);
        let served = 0;
        const execute = fakeEngine(ledger, () => calls[served++ % calls.length] ?? { cost: 0, worstCase: 0 });
        const stop = new AbortController();
        const samples: Sample[] = [];
        const onSample = (sample: Sample): void => {
          samples.push(sample);
          if (samples.length === stopAfter) stop.abort();
        };
        const run = await runBakeoff(plan, { execute, random: seededRandom(seed), onSample }, stop.signal);
        const looks: LookRecord[] = [];
        const facts = { asked: count, seed, startedAt: 0, finishedAt: 1 };
        const report = await reportWithEvidence(plan, run, facts, memoryEvidence(looks));

        for (const arm of report.arms) {
          const own = samples.filter(({ arm: name }) => name === arm.arm);
          const spent = addUsd(...own.map(({ cost }) => cost ?? ZERO_USD));
          expect(spent).toBeLessThanOrEqual(budget);
          expect(usdToNano(arm.spend_usd)).toBe(spent);
          expect(ledger.spent(replayEnvelope(plan.id, arm.arm, plan.budgetPerArm).id)).toBe(spent);
          // Every sample sent is in the denominator, and every one that did not conform is named.
          const sent = own.filter(({ outcome }) => outcome !== "refused");
          expect(arm.sent).toBe(sent.length);
          expect(new Set(sent.map(({ input }) => input)).size).toBe(sent.length);
          const named = Object.values(arm.failures).reduce((sum, n) => sum + n, 0);
          expect(named).toBe(own.length - arm.conformant);
          expect(arm.complete).toBe(sent.length === count);
        }
        if (report.partial) expect(report.gate.proposes).toBeUndefined();
        const sentOut: unknown = JSON.parse(JSON.stringify(report));
        expect(inconsistency(bakeoffReport.parse(sentOut), looks)).toBeUndefined();
      }),
      { numRuns: 300 },
    );
  });

  it("a journal gives back exactly the samples written to it, up to where it was cut", async () => {
    const plan = journalOf();
    const sample = fc.record({
      arm: fc.constantFrom("default", "cheap"),
      input: fc.string(),
      outcome: fc.constantFrom("conformant", "nonconformant", "ungraded", "failed", "refused"),
      cost: fc.option(fc.nat().map(nanoUsd), { nil: undefined }),
      costEstimated: fc.boolean(),
      repairCost: fc.nat().map(nanoUsd),
      latencyMs: fc.double({ min: 0, max: 1e6, noNaN: true }).map((ms) => ms || 0),
      attempts: fc.nat(9),
      served: fc.option(fc.string(), { nil: undefined }),
      rung: fc.constantFrom("native_strict", "coached", "none", undefined),
      simulated: fc.boolean(),
    }) satisfies fc.Arbitrary<Sample>;
    fc.assert(
      fc.property(fc.array(sample, { maxLength: 8 }), fc.nat(200), (samples, cut) => {
        const text = planText(plan) + samples.map(sampleText).join("");
        const kept = text.slice(0, Math.max(planText(plan).length, text.length - cut));
        const whole = kept.split("\n").length - 2;
        const { spent, ...read } = readJournal(kept) ?? { spent: new Map() };
        expect(read).toEqual({ plan, samples: samples.slice(0, whole), verdicts: [], planted: [] });
        const cost = samples.slice(0, whole).map((one) => one.cost ?? ZERO_USD);
        expect(addUsd(...spent.values())).toBe(addUsd(...cost));
      }),
    );
  });
});
