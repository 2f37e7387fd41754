import { describe, expect, it } from "vitest";
import type { BakeoffRun } from "../../../src/bakeoff/execution/bakeoff-run.ts";
import { runBakeoff } from "../../../src/bakeoff/execution/run-bakeoff.ts";
import { VERDICT_SCHEMA } from "../../../src/bakeoff/judge/judge-call.ts";
import { chooseJudge } from "../../../src/bakeoff/judge/judge-choice.ts";
import { type JudgeVerdict, judgedPairs, tallyOf } from "../../../src/bakeoff/judge/judge-verdict.ts";
import { armsOf, referenceArm } from "../../../src/bakeoff/plan/arm.ts";
import type { BakeoffPlan } from "../../../src/bakeoff/plan/bakeoff-plan.ts";
import type { CallInput } from "../../../src/call/call.ts";
import { replayLedger } from "../../../src/cli/replay-ledger.ts";
import { failure } from "../../../src/failure/failure.ts";
import { nanoUsd } from "../../../src/money/nano-usd.ts";
import { seededRandom } from "../../../src/stats/random.ts";
import { type FakeCall, fakeEngine, inputs, planOf } from "../../support/bakeoff/bakeoff-run.ts";
import { everyJudgePassed } from "../../support/bakeoff/examined-judge.ts";
import { routeOf } from "../../support/sources/bundles.ts";

/** `default` serves from one model, `cheap` from another; the judge is whatever is named. */
const judgedRoute = (judge: string, more = "") =>
  routeOf(`route: acme.task
candidates:
  - { provider: sim, model: atlas-large }
  - { provider: sim, model: flaky }
  - { provider: sim, model: slow, trial: true }
  - { provider: sim, model: nimbus-mini, trial: true }
input: { type: object, properties: { text: { type: string } } }
template: { user: "{{ text }}" }
output: { schema: { type: object, properties: { a: { type: number } }, required: [a] } }
variants:
  - { name: cheap, candidates: [{ provider: sim, model: flaky }] }
  - { name: mini, candidates: [{ provider: sim, model: nimbus-mini }] }
  - { name: large, candidates: [{ provider: sim, model: atlas-large }] }
bakeoff: { judge: { model: ${judge}, max_samples: 6 } }
${more}`);

async function chosen(judge: string, variants: readonly string[]) {
  const route = await judgedRoute(judge);
  const arms = armsOf(route, variants, "default");
  if (!arms.ok) throw new Error(arms.error.message);
  return chooseJudge(route, arms.value);
}

describe("who may judge", () => {
  it("is a declared candidate that no arm serves from, and of another family", async () => {
    expect(await chosen("sim/slow", ["cheap"])).toMatchObject({ type: "judge", arms: ["cheap"], against: "default" });
  });

  it("is never the model it would be held against, nor of its family", async () => {
    expect(await chosen("sim/atlas-large", ["cheap"])).toMatchObject({
      type: "none",
      reason: "the judge sim/atlas-large is a model of default, which the arms are held against",
    });
  });

  it("is not asked about an arm of its own, and still about the others", async () => {
    const choice = await chosen("sim/nimbus-mini", ["cheap", "mini"]);
    expect(choice).toMatchObject({ type: "judge", arms: ["cheap"] });
    expect(choice?.type === "judge" && choice.refused["mini"]).toContain("is a model of mini");
  });

  it("is a trial candidate without being an arm's: what never serves live does not serve in the replay of default", async () => {
    const route = await judgedRoute("sim/slow");
    const arms = armsOf(route, ["mini"], "default");
    expect(arms.ok && arms.value.map(({ narrowed }) => narrowed.candidates.map(({ model }) => model))).toEqual([
      ["atlas-large", "flaky"],
      ["nimbus-mini"],
    ]);
  });
});

const verdict = (more: Partial<JudgeVerdict>): JudgeVerdict => ({
  input: "i",
  arm: "cheap",
  against: "default",
  first: "arm",
  by: "asked",
  costEstimated: false,
  attempts: 1,
  ...more,
});

describe("two orders of a pair", () => {
  it("are averaged where they agree", () => {
    const verdicts = [
      verdict({ scores: { arm: 1, against: 0.5 } }),
      verdict({ first: "against", scores: { arm: 0.75, against: 0.5 } }),
    ];
    expect(judgedPairs(verdicts)).toEqual([
      {
        ...{ input: "i", arm: "cheap", against: "default", by: "asked" },
        ...{ scores: { arm: 0.875, against: 0.5 }, orders: 2, flipped: false },
      },
    ]);
  });

  it("are a tie where the winner follows the position", () => {
    const verdicts = [
      verdict({ scores: { arm: 1, against: 0 } }),
      verdict({ first: "against", scores: { arm: 0.25, against: 0.75 } }),
    ];
    const [pair] = judgedPairs(verdicts);
    expect(pair).toMatchObject({ flipped: true, scores: { arm: 0.5, against: 0.5 } });
  });

  it("are no flip where one of them is a tie", () => {
    const verdicts = [
      verdict({ scores: { arm: 0.5, against: 0.5 } }),
      verdict({ first: "against", scores: { arm: 0.25, against: 0.75 } }),
    ];
    expect(judgedPairs(verdicts)[0]).toMatchObject({ flipped: false, scores: { arm: 0.375, against: 0.625 } });
  });

  it("stand on the usable one where the other cannot be used, which is counted", () => {
    const verdicts = [
      verdict({ failure: { class: "content_invalid", reason: "unparseable" } }),
      verdict({ first: "against", scores: { arm: 1, against: 0 } }),
    ];
    expect(judgedPairs(verdicts)[0]).toMatchObject({ orders: 1, scores: { arm: 1, against: 0 } });
    expect(tallyOf(verdicts)).toEqual({
      ...{ pairs: 1, tied: 0, flipped: 0, bothOrders: 0, identical: 0, noOutput: 0 },
      unusable: { "content_invalid/unparseable": 1 },
    });
  });
});

interface Judging {
  readonly plan?: Partial<BakeoffPlan>;
  readonly output?: (input: CallInput) => Partial<FakeCall>;
  readonly judge?: (input: CallInput) => Partial<FakeCall>;
  readonly signal?: AbortSignal;
  readonly onVerdict?: (verdict: JudgeVerdict) => void;
  readonly outputOf?: (input: string, arm: string) => unknown;
}

/** Every arm answers differently, so that nothing is decided without the judge. */
async function judged({ plan: more, output, judge, signal, onVerdict, outputOf }: Judging = {}) {
  const route = await judgedRoute("sim/slow");
  const base = planOf(route, { inputs: inputs(10), concurrency: 2 });
  const choice = chooseJudge(route, base.arms);
  const plan = { ...base, metric: "judge" as const, judge: choice, judgePerDay: nanoUsd(1_000), ...more };
  const asked: CallInput[] = [];
  const outputs = new Map<string, unknown>();
  const ledger = replayLedger(() => 0);
  const execute = fakeEngine(ledger, (input) => {
    if (input.context.arm !== "judge") {
      return { cost: 10, worstCase: 10, output: { a: input.context.arm?.length }, ...output?.(input) };
    }
    asked.push(input);
    const answer = { comparison: "x", first_score: 5, second_score: 2 };
    return { cost: 10, worstCase: 10, output: answer, ...judge?.(input) };
  });
  const run = await runBakeoff(
    plan,
    {
      execute,
      random: seededRandom(3),
      onSample: () => undefined,
      onOutput: ({ input, arm, output: text }) => void outputs.set(`${arm} ${input}`, text),
      judge: {
        now: () => Date.UTC(2026, 10, 29),
        onVerdict: onVerdict ?? (() => undefined),
        onPlanted: () => undefined,
        examinations: everyJudgePassed(Date.UTC(2026, 10, 29)),
        outputOf: outputOf ?? (() => undefined),
      },
    },
    signal ?? new AbortController().signal,
  );
  return { run, asked, plan, outputs, spent: ledger.spent("judge-day:2026-11-29") };
}

const verdictsOf = ({ judged: asked }: BakeoffRun): readonly JudgeVerdict[] => asked?.verdicts ?? [];

const textOf = (input: CallInput): string => {
  const request = input.requestFor(
    input.policy.candidates[0] ?? { key: "", provider: "", model: "", params: {}, trial: false },
    {},
  );
  return "class" in request ? "" : JSON.stringify(request.messages);
};

describe("judging", () => {
  it("asks about at most max_samples pairs, each in both orders, through the engine with its own schema", async () => {
    const { run, asked, spent } = await judged();
    expect(asked).toHaveLength(12);
    expect(new Set(asked.map(({ context }) => context.tags["replay"]))).toEqual(new Set(["bo_1"]));
    expect(asked[0]?.policy).toMatchObject({
      candidates: [{ key: "sim/slow" }],
      output: { schema: VERDICT_SCHEMA, ladder: expect.arrayContaining(["native_strict", "model_repair"]) },
    });
    expect(asked[0]?.budget.claims).toEqual([
      { scope: "judge-day", id: "judge-day:2026-11-29", limit: 1_000, resetsAt: Date.UTC(2026, 10, 30) },
    ]);
    expect(spent).toBe(120);
    // The first is always preferred: every pair is a flip, and so a tie.
    expect(tallyOf(verdictsOf(run))).toMatchObject({ pairs: 6, tied: 6, flipped: 6, bothOrders: 6, unusable: {} });
    const scored = run.samples.filter(({ quality }) => quality?.metric === "judge");
    expect(scored).toHaveLength(12);
    expect(new Set(scored.map(({ quality }) => quality?.score))).toEqual(new Set([0.625]));
  });

  it("shows the outputs in a drawn order and says neither which arm nor which model they are of", async () => {
    const { asked, run } = await judged();
    const firsts = verdictsOf(run)
      .filter((_, index) => index % 2 === 0)
      .map(({ first }) => first);
    expect(new Set(firsts).size).toBe(2);
    for (const call of asked) {
      const text = textOf(call);
      expect(text).toContain("first_answer");
      for (const word of ["cheap", "flaky", "atlas", "incumbent"]) expect(text).not.toContain(word);
    }
  });

  it("is not needed for equal outputs, nor where one is missing", async () => {
    const equal = await judged({ output: () => ({ output: { a: 1 } }) });
    expect(equal.asked).toHaveLength(0);
    expect(new Set(verdictsOf(equal.run).map(({ by, scores }) => `${by} ${scores?.arm} ${scores?.against}`))).toEqual(
      new Set(["identical 1 1"]),
    );
    const broken = await judged({
      output: ({ context }) => (context.arm === "cheap" ? { failure: failure("network", "cut") } : {}),
    });
    expect(broken.asked).toHaveLength(0);
    expect(new Set(verdictsOf(broken.run).map(({ by, scores }) => `${by} ${scores?.arm} ${scores?.against}`))).toEqual(
      new Set(["no_output 0 1"]),
    );
  });

  it("counts an unusable verdict and makes no sample of it", async () => {
    const { run } = await judged({ judge: () => ({ failure: failure("content_invalid", "prose") }) });
    expect(tallyOf(verdictsOf(run))).toMatchObject({ pairs: 0, identical: 0, unusable: { content_invalid: 12 } });
    expect(run.samples.some(({ quality }) => quality?.metric === "judge")).toBe(false);
    expect(run.stopped.size).toBe(0);
  });

  it("stops at the limit of its day, and the arms go on", async () => {
    const { run, spent, asked } = await judged({ plan: { judgePerDay: nanoUsd(45) } });
    expect(spent).toBe(40);
    expect(asked).toHaveLength(5);
    expect(run.judgeStopped).toBe("budget");
    expect(run.stopped.size).toBe(0);
    expect(run.samples).toHaveLength(20);
  });

  it("does not pay for a verdict twice when a run is resumed, and judges what the run before only sent", async () => {
    const stop = new AbortController();
    const before: JudgeVerdict[] = [];
    const first = await judged({
      signal: stop.signal,
      onVerdict: (one) => {
        before.push(one);
        if (before.length === 3) stop.abort();
      },
    });
    expect(first.asked.length).toBeLessThan(12);
    const again = await judged({
      plan: { done: first.run.samples, doneVerdicts: before },
      outputOf: (input, arm) => first.outputs.get(`${arm} ${input}`),
    });
    expect(first.asked.length + again.asked.length).toBe(12);
    const whole = await judged();
    const figures = (verdicts: readonly JudgeVerdict[]) =>
      verdicts.map(({ input, arm, first: order }) => `${input} ${arm} ${order}`).sort();
    expect(figures(verdictsOf(again.run))).toEqual(figures(verdictsOf(whole.run)));
  });

  it("holds arms against the reference where there is one", async () => {
    const route = await judgedRoute("sim/slow");
    const [large] = route.candidates;
    if (!large) throw new Error("no candidate");
    const arms = [...planOf(route).arms, referenceArm(route, large)];
    const choice = chooseJudge(route, arms);
    expect(choice).toMatchObject({ against: "reference:sim/atlas-large", arms: ["default", "cheap"] });
    const { run } = await judged({ plan: { arms, judge: choice } });
    expect(new Set(verdictsOf(run).map(({ against }) => against))).toEqual(new Set(["reference:sim/atlas-large"]));
    expect(judgedPairs(verdictsOf(run))).toHaveLength(6);
  });
});
