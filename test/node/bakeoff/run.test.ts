import { beforeAll, describe, expect, it } from "vitest";
import { planText, readJournal, sampleText } from "../../../src/bakeoff/execution/journal.ts";
import { runBakeoff } from "../../../src/bakeoff/execution/run-bakeoff.ts";
import type { Sample } from "../../../src/bakeoff/execution/sample.ts";
import { replayEnvelope } from "../../../src/bakeoff/plan/bakeoff-envelopes.ts";
import type { BakeoffPlan } from "../../../src/bakeoff/plan/bakeoff-plan.ts";
import { reportOf } from "../../../src/bakeoff/report/assemble-report.ts";
import { bakeoffReport } from "../../../src/bakeoff/report/bakeoff-report.ts";
import type { CallInput } from "../../../src/call/call.ts";
import { replayLedger } from "../../../src/cli/replay-ledger.ts";
import { failure } from "../../../src/failure/failure.ts";
import { nanoUsd } from "../../../src/money/nano-usd.ts";
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

let route: Route;
beforeAll(async () => {
  route = await twoArmRoute();
});

const facts = { asked: 20, seed: 7, startedAt: 0, finishedAt: 1000 };
const cents = (n: number) => n * 10_000_000;
const never = new AbortController().signal;

const dearAndCheap = ({ context }: CallInput): FakeCall =>
  context.arm === "cheap" ? { cost: cents(1), worstCase: cents(2) } : { cost: cents(4), worstCase: cents(8) };

async function run(
  plan: BakeoffPlan,
  serve: (input: CallInput) => FakeCall = dearAndCheap,
  options: {
    signal?: AbortSignal;
    onSample?: (sample: Sample) => void;
    spentBefore?: ReadonlyMap<string, ReturnType<typeof nanoUsd>>;
  } = {},
) {
  const ledger = replayLedger(() => 0, options.spentBefore);
  const asked: CallInput[] = [];
  const execute = fakeEngine(ledger, (input) => {
    asked.push(input);
    return serve(input);
  });
  const ports = { execute, random: seededRandom(7), onSample: options.onSample ?? (() => undefined) };
  const result = await runBakeoff(plan, ports, options.signal ?? never);
  const spent = (arm: string) => ledger.spent(replayEnvelope(plan.id, arm, plan.budgetPerArm).id);
  return { result, asked, spent, report: await reportOf(plan, result, facts) };
}

describe("a bake-off run", () => {
  it("sends every input to every arm once, the arms of an input side by side", async () => {
    const { result, asked } = await run(planOf(route, { concurrency: 1 }));
    expect(result.samples).toHaveLength(40);
    expect(new Set(result.samples.map(({ arm, input }) => `${arm} ${input}`)).size).toBe(40);
    for (let index = 0; index < 40; index += 2)
      expect(result.samples[index]?.input).toBe(result.samples[index + 1]?.input);
    expect(new Set(asked.map(({ context }) => context.lane))).toEqual(new Set(["replay"]));
    expect(asked.every(({ context }) => context.tags["replay"] === "bo_1")).toBe(true);
  });

  it("takes inputs and arms in an order that the seed fixes", async () => {
    const order = async () => (await run(planOf(route, { concurrency: 1 }))).result.samples.map((s) => s.arm + s.input);
    const first = await order();
    expect(await order()).toEqual(first);
    expect(first).not.toEqual([...first].sort());
    const startsWithIncumbent = first.filter((name, index) => index % 2 === 0 && name.startsWith("default"));
    expect(startsWithIncumbent.length).toBeGreaterThan(3);
    expect(startsWithIncumbent.length).toBeLessThan(17);
  });

  it("keeps at most the asked number of calls in flight", async () => {
    let running = 0;
    let most = 0;
    const plan = planOf(route, { concurrency: 3 });
    const ports = {
      execute: fakeEngine(
        replayLedger(() => 0),
        dearAndCheap,
      ),
      random: seededRandom(1),
      onSample: () => undefined,
    };
    const counted = async (input: CallInput) => {
      running += 1;
      most = Math.max(most, running);
      const result = await ports.execute(input);
      running -= 1;
      return result;
    };
    await runBakeoff(plan, { ...ports, execute: counted }, never);
    expect(most).toBe(3);
  });

  it("makes a report that holds every figure and satisfies its schema", async () => {
    const { report } = await run(planOf(route));
    expect(bakeoffReport.parse(JSON.parse(JSON.stringify(report)))).toEqual(JSON.parse(JSON.stringify(report)));
    expect(report).toMatchObject({
      partial: false,
      incumbent: "default",
      metric: "conformance",
      schema_declared: true,
    });
    const [incumbent, cheap] = report.arms;
    expect(incumbent).toMatchObject({
      role: "incumbent",
      sent: 20,
      graded: 20,
      conformant: 20,
      spend_usd: "0.800000000",
    });
    expect(cheap).toMatchObject({ role: "challenger", spend_usd: "0.200000000", effective: { usd_per_1k: 10 } });
    // Wilson 95% of 20 of 20.
    expect(cheap?.conformance).toEqual({ rate: 1, low: expect.closeTo(0.838875, 6), high: 1 });
    expect(report.pairs).toMatchObject([{ arm: "cheap", n_paired: 20, cost_ratio: { ratio: 0.25 } }]);
    expect(report.pairs[0]?.cost_ratio?.high).toBeUndefined();
    // Twenty inputs show neither a margin nor a saving.
    expect(report.gate.proposes).toBeUndefined();
    expect(report.gate.verdicts[0]?.clauses.filter(({ met }) => !met).map(({ clause }) => clause)).toEqual([
      "conformance_drop",
      "effective_cost",
    ]);
  });

  it("takes the objective from the route: a bakeoff block alone asks for quality first", async () => {
    expect((await run(planOf(route))).report.objective).toEqual({ mode: "cost-first", max_conformance_drop: 0.05 });
    const report = (await run(planOf({ ...route, bakeoff: { qualityGate: { minScore: 0.9 } } }))).report;
    expect(report.objective).toEqual({
      mode: "quality-first",
      max_conformance_drop: 0.05,
      quality_gate: { min_score: 0.9 },
    });
    expect(report.gate.proposes).toBeUndefined();
  });

  it("counts a failed call as not conformant, and names it", async () => {
    let call = 0;
    const serve = (input: CallInput): FakeCall => {
      const base = dearAndCheap(input);
      if (input.context.arm !== "cheap") return base;
      call += 1;
      if (call <= 3) return { ...base, failure: failure("network", "timed out", { reason: "timeout" }) };
      if (call <= 5) return { ...base, failure: failure("content_invalid", "bad", { reason: "schema_violation" }) };
      return base;
    };
    const { report } = await run(planOf(route), serve);
    expect(report.arms[1]).toMatchObject({
      sent: 20,
      graded: 17,
      conformant: 15,
      conformance: { rate: 0.75 },
      failures: { "network/timeout": 3, "content_invalid/schema_violation": 2 },
      effective: { usd_per_1k: expect.closeTo((0.2 * 1000) / 15) },
    });
    expect(report.gate.proposes).toBeUndefined();
  });
});

describe("a bake-off's budget", () => {
  it("is never overrun; the arm that breaches is partial, the breaching sample is recorded, the others go on", async () => {
    const recorded: Sample[] = [];
    const plan = planOf(route, { budgetPerArm: nanoUsd(cents(30)), concurrency: 1 });
    const { report, spent } = await run(plan, dearAndCheap, { onSample: (sample) => recorded.push(sample) });
    const [incumbent, cheap] = report.arms;
    // 4 cents each, 8 reserved before each: the seventh would need 24 + 8 > 30.
    expect(incumbent).toMatchObject({ complete: false, stopped: "budget", sent: 6, spend_usd: "0.240000000" });
    expect(incumbent?.failures).toEqual({ "budget_exhausted/envelope_spent": 1 });
    expect(recorded.filter(({ outcome }) => outcome === "refused")).toHaveLength(1);
    expect(spent("default")).toBeLessThanOrEqual(cents(30));
    expect(cheap).toMatchObject({ complete: true, sent: 20 });
    expect(report.partial).toBe(true);
    expect(report.gate.proposes).toBeUndefined();
    expect(report.gate.verdicts[0]?.clauses).toContainEqual(
      expect.objectContaining({ clause: "complete", met: false }),
    );
  });

  for (const concurrency of [1, 2, 3, 8, 16]) {
    it(`is used to the full before an arm stops, with ${concurrency} at a time`, async () => {
      // Each call costs 1 and reserves 8: with 40 there is room for a call as long as no more than 32 are spent.
      const plan = planOf(route, { inputs: inputs(60), budgetPerArm: nanoUsd(cents(40)), concurrency });
      const { report } = await run(plan, () => ({ cost: cents(1), worstCase: cents(8) }));
      for (const arm of report.arms) {
        expect(arm).toMatchObject({ stopped: "budget", sent: 33, failures: { "budget_exhausted/envelope_spent": 1 } });
      }
    });
  }

  it("counts what was paid before a refusal midway", async () => {
    const plan = planOf(route, { budgetPerArm: nanoUsd(cents(20)), concurrency: 1 });
    const { report, spent } = await run(plan, () => ({ firstAttempt: cents(3), cost: cents(3), worstCase: cents(8) }));
    // 6 a call; the third has paid 3 for its first attempt and finds no room for its second.
    expect(report.arms[0]).toMatchObject({ sent: 2, stopped: "budget", spend_usd: "0.150000000" });
    expect(spent("default")).toBe(cents(15));
  });

  it("waits for calls in flight when a reservation fits only later", async () => {
    // Eight workers reserve 8 cents each against 40: five at a time fit, and all twenty fit in the end.
    const plan = planOf(route, { budgetPerArm: nanoUsd(cents(40)), concurrency: 16 });
    const { report } = await run(plan, () => ({ cost: cents(1), worstCase: cents(8) }));
    expect(report.arms.map(({ complete, sent }) => [complete, sent])).toEqual([
      [true, 20],
      [true, 20],
    ]);
  });

  it("stops an arm whose candidates have no price, and says so", async () => {
    const plan = planOf(route);
    const refusal = failure("budget_exhausted", "no price", { reason: "unpriced" });
    const execute = fakeEngine(
      replayLedger(() => 0),
      dearAndCheap,
    );
    const ports = {
      execute: async (input: CallInput) => {
        const result = await execute(input);
        if (input.context.arm !== "cheap" || result.type === "stream") return result;
        return {
          type: "failure" as const,
          failure: refusal,
          inference: { ...result.inference, attempts: [], cost: undefined },
        };
      },
      random: seededRandom(7),
      onSample: () => undefined,
    };
    const report = await reportOf(plan, await runBakeoff(plan, ports, never), facts);
    expect(report.arms[1]).toMatchObject({ complete: false, stopped: "unpriced", sent: 0 });
    expect(report.gate.proposes).toBeUndefined();
  });
});

describe("an interrupted bake-off", () => {
  it("finishes what is in flight and is partial", async () => {
    const stop = new AbortController();
    let seen = 0;
    const onSample = () => {
      seen += 1;
      if (seen === 10) stop.abort();
    };
    const { report, result } = await run(planOf(route), dearAndCheap, { signal: stop.signal, onSample });
    expect(result.samples.length).toBeGreaterThanOrEqual(10);
    expect(result.samples.length).toBeLessThanOrEqual(13);
    expect(report.partial).toBe(true);
    expect(report.arms.some(({ stopped }) => stopped === "interrupted")).toBe(true);
    expect(report.gate.proposes).toBeUndefined();
  });

  it("goes on from its journal without paying twice, and ends as if it had never stopped", async () => {
    const whole = await run(planOf(route));
    const stop = new AbortController();
    let journal = planText(journalOf());
    let seen = 0;
    const onSample = (sample: Sample) => {
      journal += sampleText(sample);
      seen += 1;
      if (seen === 11) stop.abort();
    };
    await run(planOf(route), dearAndCheap, { signal: stop.signal, onSample });
    // The crash cut the last line.
    const read = readJournal(`${journal}{"type":"sample","arm":"che`);
    expect(read?.samples.length).toBeGreaterThanOrEqual(11);
    const resumed = await run(planOf(route, { done: read?.samples ?? [] }));
    expect(resumed.asked).toHaveLength(40 - (read?.samples.length ?? 0));
    const figures = ({ report }: typeof whole) => report.arms.map(({ latency_ms: _ms, ...arm }) => arm);
    expect(figures(resumed)).toEqual(figures(whole));
  });

  it("is not resumed from something that is no journal", () => {
    expect(readJournal("")).toBeUndefined();
    expect(readJournal('{"type":"sample"}\n')).toBeUndefined();
    expect(readJournal("not json\n")).toBeUndefined();
  });
});
