import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import type { BakeoffRun } from "../../../src/bakeoff/execution/bakeoff-run.ts";
import { JUDGE_BOOKS, planText, readJournal, sampleText, verdictText } from "../../../src/bakeoff/execution/journal.ts";
import { runBakeoff } from "../../../src/bakeoff/execution/run-bakeoff.ts";
import type { Sample } from "../../../src/bakeoff/execution/sample.ts";
import { chooseJudge } from "../../../src/bakeoff/judge/judge-choice.ts";
import type { JudgeVerdict } from "../../../src/bakeoff/judge/judge-verdict.ts";
import { armsOf, referenceArm } from "../../../src/bakeoff/plan/arm.ts";
import { armEnvelopes } from "../../../src/bakeoff/plan/bakeoff-envelopes.ts";
import type { BakeoffPlan } from "../../../src/bakeoff/plan/bakeoff-plan.ts";
import type { CallInput } from "../../../src/call/call.ts";
import { replayLedger } from "../../../src/cli/replay-ledger.ts";
import { failure } from "../../../src/failure/failure.ts";
import { addUsd, type NanoUsd, nanoUsd, ZERO_USD } from "../../../src/money/nano-usd.ts";
import { canonicalJson } from "../../../src/route/canonical.ts";
import type { Route } from "../../../src/route/route.ts";
import { seededRandom } from "../../../src/stats/random.ts";
import { type FakeCall, fakeEngine, inputs, journalOf, planOf } from "../../support/bakeoff/bakeoff-run.ts";
import { everyJudgePassed } from "../../support/bakeoff/examined-judge.ts";
import { routeOf } from "../../support/sources/bundles.ts";

let route: Route;
beforeAll(async () => {
  route = await routeOf(`route: acme.task
candidates:
  - { provider: sim, model: atlas-large }
  - { provider: sim, model: flaky }
  - { provider: sim, model: slow, trial: true }
input: { type: object, properties: { text: { type: string } } }
template: { user: "{{ text }}" }
output: { schema: { type: object, properties: { a: { type: number } }, required: [a] } }
variants:
  - { name: cheap, candidates: [{ provider: sim, model: flaky }] }
bakeoff: { judge: { model: sim/slow, max_samples: 9 } }
`);
});

const REFERENCE = "reference:sim/atlas-large";

const scenario = fc.record({
  count: fc.integer({ min: 1, max: 15 }),
  concurrency: fc.integer({ min: 1, max: 9 }),
  perProvider: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
  budget: fc.integer({ min: 0, max: 3_000 }),
  reference: fc.integer({ min: 0, max: 3_000 }),
  total: fc.option(fc.integer({ min: 0, max: 6_000 }), { nil: undefined }),
  judgeDay: fc.integer({ min: 0, max: 2_000 }),
  seed: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
  stopAfter: fc.option(fc.integer({ min: 1, max: 40 }), { nil: undefined }),
  salt: fc.nat(1_000),
});
type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never;

function planFor({ count, concurrency, perProvider, budget, reference, total, judgeDay }: Scenario): BakeoffPlan {
  const variants = armsOf(route, ["cheap"], "default");
  const [large] = route.candidates;
  if (!variants.ok || !large) throw new Error("no arms");
  const arms = [...variants.value, referenceArm(route, large)];
  return planOf(route, {
    arms,
    inputs: inputs(count),
    budgetPerArm: nanoUsd(budget),
    referenceBudget: nanoUsd(reference),
    ...(total !== undefined && { totalBudget: nanoUsd(total) }),
    judgePerDay: nanoUsd(judgeDay),
    concurrency,
    perProvider,
    metric: "judge",
    judge: chooseJudge(route, arms),
  });
}

/** What a call costs and comes to depends on what is asked and of whom, so that a run can be repeated. */
function callFor(input: CallInput, salt: number): FakeCall {
  const [candidate] = input.policy.candidates;
  const request = candidate && input.requestFor(candidate, {});
  const text = JSON.stringify([request, input.context.arm, salt]);
  let hash = 7;
  for (const character of text) hash = (hash * 31 + character.charCodeAt(0)) % 1_000_003;
  const worstCase = 20 + (hash % 300);
  const cost = Math.floor(worstCase * ((hash % 97) / 97));
  if (input.context.arm === "judge") {
    const scores = { first_score: 1 + (hash % 5), second_score: 1 + ((hash >> 3) % 5) };
    return { cost, worstCase, output: hash % 11 === 0 ? { comparison: "?" } : { comparison: "x", ...scores } };
  }
  if (hash % 13 === 0) return { cost, worstCase, failure: failure("network", "cut") };
  if (hash % 17 === 0) return { cost, worstCase, failure: failure("content_invalid", "bad") };
  return { cost, worstCase, output: { a: hash % 3 } };
}

interface Ran {
  readonly run: BakeoffRun;
  readonly samples: readonly Sample[];
  readonly verdicts: readonly JudgeVerdict[];
  readonly journal: string;
  readonly asked: number;
  readonly mostAtOnce: number;
}

async function ran(
  given: Scenario,
  more: Partial<BakeoffPlan> = {},
  spentBefore = new Map<string, NanoUsd>(),
  outputs = new Map<string, unknown>(),
): Promise<Ran> {
  const plan = { ...planFor(given), ...more };
  const ledger = replayLedger(() => 0, spentBefore);
  const [samples, verdicts]: [Sample[], JudgeVerdict[]] = [[], []];
  let journal = planText(journalOf());
  let [asked, atOnce, mostAtOnce] = [0, 0, 0];
  const stop = new AbortController();
  const engine = fakeEngine(ledger, (input) => callFor(input, given.salt));
  const count = (): void => {
    if (samples.length + verdicts.length === given.stopAfter) stop.abort();
  };
  const run = await runBakeoff(
    plan,
    {
      execute: async (input) => {
        asked += 1;
        atOnce += 1;
        mostAtOnce = Math.max(mostAtOnce, atOnce);
        return engine(input).finally(() => {
          atOnce -= 1;
        });
      },
      random: seededRandom(given.seed),
      onOutput: ({ input, arm, output }) => void outputs.set(`${arm} ${input}`, output),
      onSample(sample) {
        samples.push(sample);
        journal += sampleText(sample);
        count();
      },
      judge: {
        now: () => 0,
        outputOf: (input, arm) => outputs.get(`${arm} ${input}`),
        examinations: everyJudgePassed(0),
        onPlanted: () => undefined,
        onVerdict(verdict) {
          verdicts.push(verdict);
          journal += verdictText(verdict);
          count();
        },
      },
    },
    stop.signal,
  );
  return { run, samples, verdicts, journal, asked, mostAtOnce };
}

const spendOf = (lines: readonly { readonly cost?: NanoUsd | undefined }[]): number =>
  addUsd(...lines.map(({ cost }) => cost ?? ZERO_USD));

describe("whatever calls cost and however they overlap", () => {
  it("no arm, no reference, no judge and not all of it together spends past its limit", async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async (given) => {
        const { samples, verdicts, mostAtOnce } = await ran(given);
        const of = (arm: string) => spendOf(samples.filter((sample) => sample.arm === arm));
        expect(of("default")).toBeLessThanOrEqual(given.budget);
        expect(of("cheap")).toBeLessThanOrEqual(given.budget);
        expect(of(REFERENCE)).toBeLessThanOrEqual(given.reference);
        expect(spendOf(verdicts)).toBeLessThanOrEqual(given.judgeDay);
        if (given.total !== undefined) expect(spendOf([...samples, ...verdicts])).toBeLessThanOrEqual(given.total);
        // All of it goes to one provider.
        expect(mostAtOnce).toBeLessThanOrEqual(Math.min(given.concurrency, given.perProvider ?? given.concurrency));
      }),
      { numRuns: 200 },
    );
  });

  it("an interrupted run that is resumed ends with the samples and verdicts of one that was not, paid once", async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async (drawn) => {
        const given = { ...drawn, budget: 1_000_000, reference: 1_000_000, total: undefined, judgeDay: 1_000_000 };
        const outputs = new Map<string, unknown>();
        const first = await ran(given, {}, new Map(), outputs);
        const read = readJournal(first.journal);
        const resumed = await ran(
          { ...given, stopAfter: undefined },
          { done: read?.samples ?? [], doneVerdicts: read?.verdicts ?? [] },
          new Map(),
          outputs,
        );
        const whole = await ran({ ...given, stopAfter: undefined });
        const figures = ({ run }: Ran) => ({
          samples: run.samples.map(canonicalJson).sort(),
          verdicts: (run.judged?.verdicts ?? []).map(canonicalJson).sort(),
        });
        expect(figures(resumed)).toEqual(figures(whole));
        expect(first.asked + resumed.asked).toBe(whole.asked);
      }),
      { numRuns: 100 },
    );
  });

  it("a resume stays within the limits of the whole, whatever the run before had spent", async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async (given) => {
        const outputs = new Map<string, unknown>();
        const first = await ran(given, {}, new Map(), outputs);
        const read = readJournal(first.journal);
        const plan = planFor(given);
        const before = new Map<string, NanoUsd>();
        for (const arm of plan.arms) {
          const [own] = armEnvelopes(plan.id, arm, plan);
          if (own) before.set(own.id, read?.spent.get(arm.name) ?? ZERO_USD);
        }
        before.set("judge-day:1970-01-01", read?.spent.get(JUDGE_BOOKS) ?? ZERO_USD);
        before.set(`replay-pass:${plan.id}`, addUsd(...(read?.spent.values() ?? [])));
        const again = await ran(
          { ...given, stopAfter: undefined },
          { done: read?.samples ?? [], doneVerdicts: read?.verdicts ?? [] },
          before,
          outputs,
        );
        const samples = [...first.samples, ...again.samples];
        const verdicts = [...first.verdicts, ...again.verdicts];
        const of = (arm: string) => spendOf(samples.filter((sample) => sample.arm === arm));
        for (const arm of ["default", "cheap"]) expect(of(arm)).toBeLessThanOrEqual(given.budget);
        expect(of(REFERENCE)).toBeLessThanOrEqual(given.reference);
        expect(spendOf(verdicts)).toBeLessThanOrEqual(given.judgeDay);
        if (given.total !== undefined) expect(spendOf([...samples, ...verdicts])).toBeLessThanOrEqual(given.total);
      }),
      { numRuns: 150 },
    );
  });

  it("the order in which inputs are given changes nothing, not even where a budget ends early", async () => {
    await fc.assert(
      fc.asyncProperty(scenario, fc.integer(), async (drawn, shuffle) => {
        const given = { ...drawn, concurrency: 1, stopAfter: undefined };
        const plan = planFor(given);
        const random = seededRandom(shuffle);
        const mixed = [...plan.inputs].map((input) => ({ input, at: random() })).sort((a, b) => a.at - b.at);
        const one = await ran(given);
        const other = await ran(given, { inputs: mixed.map(({ input }) => input) });
        expect(other.journal).toBe(one.journal);
      }),
      { numRuns: 60 },
    );
  });
});
