import { mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LOOK_ALPHA } from "../../../src/bakeoff/analysis/alpha-spending.ts";
import {
  type EvidenceState,
  type EvidenceStore,
  evidenceKey,
  evidenceState,
  takeLook,
} from "../../../src/bakeoff/analysis/evidence-process.ts";
import type { PairedInput } from "../../../src/bakeoff/analysis/scores.ts";
import { SeenQuestions } from "../../../src/bakeoff/analysis/seen-questions.ts";
import { decideGate } from "../../../src/bakeoff/gate/decide-gate.ts";
import { reportOf, reportWithEvidence } from "../../../src/bakeoff/report/assemble-report.ts";
import { inconsistency } from "../../../src/bakeoff/report/consistency.ts";
import { evidenceFile } from "../../../src/cli/bakeoff/files/evidence-file.ts";
import { advance, startEProcess } from "../../../src/stats/e-process.ts";
import { seededRandom } from "../../../src/stats/random.ts";
import { analysedRun, referencedRoute } from "../../support/bakeoff-analysis.ts";
import {
  armFigures,
  gateFigures,
  pairFigures,
  pairsWith,
  REFERENCE,
  regretFigures,
} from "../../support/bakeoff-figures.ts";
import { localStore } from "../../support/local-database.ts";

const terms = { epsilon: 0.05, family: 1 };

const renamed = (pairs: readonly PairedInput[], prefix: string): PairedInput[] =>
  pairs.map((pair) => ({ ...pair, input: prefix + pair.input, question: prefix + pair.question }));

describe("a look at a comparison", () => {
  it("is the first one for the bake-off that came first, however often it is told again", () => {
    const one = takeLook(undefined, "bo_1", pairsWith(50, 2, 0), terms);
    expect(one.look).toMatchObject({ kind: "first", number: 1, items: 50, fresh: 50, family: 1 });
    const again = takeLook(one.state, "bo_1", pairsWith(50, 2, 0), terms);
    expect(again.look).toEqual({ ...one.look, fresh: 0 });
    expect(again.state).toEqual(one.state);
  });

  it("is a later one for every other bake-off, with bounds of the e-process", () => {
    const one = takeLook(undefined, "bo_1", pairsWith(50, 0, 0), terms);
    const two = takeLook(one.state, "bo_2", renamed(pairsWith(50, 0, 0), "new_"), terms);
    expect(two.look).toMatchObject({ kind: "later", number: 2, items: 100, fresh: 50 });
    expect(two.look.bounds).toHaveLength(1);
    // A bake-off that was interrupted and is resumed still has the look that was declared for it.
    expect(takeLook(two.state, "bo_1", pairsWith(60, 0, 0), terms).look).toMatchObject({ kind: "first", fresh: 10 });
  });

  it("is not moved by inputs that it has seen: only new ones are evidence", () => {
    const one = takeLook(undefined, "bo_1", pairsWith(300, 0, 0), terms);
    let state = one.state;
    for (let look = 2; look < 12; look += 1) {
      const next = takeLook(state, `bo_${look}`, pairsWith(300, 0, 0), terms);
      expect(next.look).toMatchObject({ kind: "later", number: look, items: 300, fresh: 0 });
      state = next.state;
    }
    expect(state.below).toEqual(one.state.below);
  });

  it("is not moved by the same question asked again: neither by its repeats nor by a newer call that asked it", () => {
    const asked = (call: string): PairedInput[] =>
      pairsWith(200, 0, 0).map((pair, index) => ({ ...pair, input: `${call}${index}`, question: `question ${index}` }));
    const repeats = (times: number): PairedInput[] =>
      pairsWith(200, 0, 0).flatMap((pair) =>
        Array.from({ length: times }, (_, index) => ({
          ...pair,
          input: index === 0 ? pair.input : `${pair.input}#${index + 1}`,
          cluster: pair.input,
        })),
      );
    for (const [before, after] of [
      [asked("monday_"), asked("tuesday_")],
      [repeats(2), repeats(5)],
      [pairsWith(200, 0, 0), repeats(3)],
    ] as const) {
      const one = takeLook(undefined, "bo_1", before, terms);
      const two = takeLook(one.state, "bo_2", after, terms);
      expect(two.look).toMatchObject({ kind: "later", items: 200, fresh: 0 });
      expect(two.state.below).toEqual(one.state.below);
    }
  });

  it("of later looks tells the mean that its bounds are about, not that of the newest pairs", () => {
    const one = takeLook(undefined, "bo_1", pairsWith(300, 30, 0), terms);
    const { look } = takeLook(one.state, "bo_2", pairsWith(12, 12, 0), terms);
    expect(one.look.mean).toBeUndefined();
    expect(look.mean).toBeCloseTo(0.1, 12);
    const [bounds] = look.bounds ?? [];
    expect(bounds?.low).toBeLessThanOrEqual(look.mean ?? 1);
    expect(bounds?.high).toBeGreaterThanOrEqual(look.mean ?? -1);
    const [regret] = regretFigures([{ arm: "cheap", pairs: pairsWith(12, 12, 0), look }], {
      epsilon: 0.05,
      challengers: ["cheap"],
    });
    expect(regret?.estimate?.mean).toBe(look.mean);
  });

  it("takes a customer's new inputs as one item, their mean", () => {
    const pairs = [...pairsWith(30, 30, 0, { cluster: "a" }), ...renamed(pairsWith(10, 0, 0, { cluster: "b" }), "b")];
    const { look, state } = takeLook(undefined, "bo_1", pairs, terms);
    expect(look).toMatchObject({ items: 2, fresh: 2 });
    const expected = [1, 0].reduce(advance, startEProcess({ epsilon: 0.05, alpha: LOOK_ALPHA }));
    expect(state.below).toEqual(expected);
  });

  it("does not depend on the order of the inputs", () => {
    const pairs = pairsWith(60, 5, 3);
    const forward = takeLook(undefined, "bo_1", pairs, terms);
    expect(takeLook(undefined, "bo_1", [...pairs].reverse(), terms)).toEqual(forward);
  });

  it("stays corrected for the most challengers that were ever compared at once", () => {
    const wide = takeLook(undefined, "bo_1", pairsWith(90, 0, 0), { epsilon: 0.05, family: 4 });
    const alone = takeLook(wide.state, "bo_2", renamed(pairsWith(10, 0, 0), "x"), terms);
    expect(alone.look.family).toBe(4);
    const highs = alone.look.bounds?.map(({ high }) => high) ?? [];
    expect(highs).toHaveLength(4);
    expect([...highs].sort((a, b) => a - b)).toEqual(highs);
  });

  it("passes at a limit only when the e-process has ruled it out", () => {
    const until = (n: number) => {
      const before = takeLook(undefined, "bo_0", [], terms).state;
      return takeLook(before, "bo_1", pairsWith(n, 0, 0), terms).look.bounds?.[0]?.high ?? 1;
    };
    // ⌈ln(1/α) / ln(1 + k·ε/(1 − ε))⌉ pairs without a loss, at α 0.0125.
    const least = Math.ceil(Math.log(1 / LOOK_ALPHA) / Math.log1p((0.5 * 0.05) / 0.95));
    expect(until(least - 1)).toBeGreaterThan(0.05);
    expect(until(least)).toBeLessThanOrEqual(0.05);
  });

  it("tells a worse arm as well: its lower bound rises to the limit", () => {
    const before = takeLook(undefined, "bo_0", [], terms).state;
    const { look } = takeLook(before, "bo_1", pairsWith(200, 60, 0), terms);
    expect(look.bounds?.[0]?.low).toBeGreaterThanOrEqual(0.05);
    expect(look.more).toBeUndefined();
  });
});

describe("what was seen", () => {
  it("is kept in four bytes an input, whatever the order", () => {
    const [one, two] = [SeenQuestions.from(""), SeenQuestions.from("")];
    for (let index = 0; index < 1000; index += 1) one.add(`cap_${index}`);
    for (let index = 999; index >= 0; index -= 1) two.add(`cap_${index}`);
    expect(one.text()).toBe(two.text());
    expect(one.text().length).toBeLessThanOrEqual(Math.ceil(4000 / 3) * 4);
    const back = SeenQuestions.from(one.text());
    expect(Array.from({ length: 1000 }, (_, index) => back.has(`cap_${index}`)).every(Boolean)).toBe(true);
    expect(back.has("cap_1000")).toBe(false);
  });
});

/** Twenty bake-offs of 50 new inputs each; answers whether any of them proposes. */
function proposesWithin(looks: number, pLoss: number, random: () => number, remembered: boolean): boolean {
  let state: EvidenceState | undefined;
  let all: PairedInput[] = [];
  for (let look = 1; look <= looks; look += 1) {
    const pairs = Array.from({ length: 50 }, (_, index) => ({
      input: `${look}_${index}`,
      question: `${look}_${index}`,
      d: random() < pLoss ? 1 : 0,
    }));
    all = [...all, ...pairs];
    const taken = remembered ? takeLook(state, `bo_${look}`, pairs, terms) : undefined;
    state = taken?.state;
    const regrets = regretFigures(
      [
        taken ? { arm: "cheap", pairs, look: taken.look } : { arm: "cheap", pairs: all },
        { arm: "default", pairs: pairsWith(50, 0, 0) },
      ],
      { epsilon: 0.05 },
    );
    const figures = gateFigures({
      arms: [
        armFigures("default", { role: "incumbent", effective: { usd_per_1k: 5 } }),
        armFigures("cheap"),
        armFigures(REFERENCE, { role: "reference" }),
      ],
      pairs: [pairFigures("cheap")],
      regrets,
      objective: { mode: "quality-first", max_regret: 0.05 },
    });
    if (decideGate(figures).proposes !== undefined) return true;
  }
  return false;
}

describe("an arm exactly as bad as the limit, looked at twenty times", () => {
  it("is proposed no more often than promised; a gate that forgets proposes it far more often", () => {
    const runs = 200;
    const share = (remembered: boolean): number => {
      const random = seededRandom(20);
      let proposed = 0;
      for (let run = 0; run < runs; run += 1) if (proposesWithin(20, 0.05, random, remembered)) proposed += 1;
      return proposed / runs;
    };
    const remembering = share(true);
    expect(remembering).toBeLessThanOrEqual(0.025);
    expect(share(false)).toBeGreaterThan(Math.max(0.03, 2 * remembering));
  });

  it("is proposed within twenty looks when it is truly no worse", () => {
    const random = seededRandom(21);
    const proposed = Array.from({ length: 20 }, () => proposesWithin(20, 0.005, random, true)).filter(Boolean).length;
    expect(proposed).toBeGreaterThanOrEqual(18);
  });
});

describe("a report with evidence", () => {
  const memory = (): EvidenceStore & { readonly kept: Map<string, EvidenceState> } => {
    const kept = new Map<string, EvidenceState>();
    return {
      kept,
      load: async (key) => kept.get(key),
      save: async (key, state) => void kept.set(key, evidenceState.parse(JSON.parse(JSON.stringify(state)))),
    };
  };

  it("is the plain report at the first look, and the same again for the same bake-off", async () => {
    const { plan, run, facts } = await analysedRun({ inputs: 60 });
    const store = memory();
    const first = await reportWithEvidence(plan, run, facts, store);
    expect(first).toEqual(reportOf(plan, run, facts));
    const kept = new Map(store.kept);
    const again = await reportWithEvidence(plan, run, facts, store);
    expect(again.gate).toEqual(first.gate);
    expect(again.regrets.map(({ estimate }) => estimate)).toEqual(first.regrets.map(({ estimate }) => estimate));
    expect(store.kept).toEqual(kept);
    // Every arm against the reference, each challenger against the incumbent.
    expect(store.kept.size).toBe(3);
  });

  it("decides another bake-off on the e-process, and says so", async () => {
    const store = memory();
    const one = await analysedRun({ inputs: 60 });
    await reportWithEvidence(one.plan, one.run, one.facts, store);
    const two = await analysedRun({ inputs: 60, id: "bo_2", prefix: "later_" });
    const report = await reportWithEvidence(two.plan, two.run, two.facts, store);
    expect(report.regrets[0]).toMatchObject({
      look: { kind: "later", number: 2, items: 120, fresh: 60 },
      estimate: { method: "e_process" },
    });
    expect(inconsistency(report)).toBeUndefined();
  });

  it("starts anew for another prompt, model, limit, metric or check, and not for another description", async () => {
    const { plan } = await analysedRun({ inputs: 12 });
    const [arm, against] = [plan.arms[1], plan.arms[2]];
    if (!arm || !against) throw new Error("three arms");
    const base = { route: plan.route, arm, against, metric: "conformance", epsilon: 0.05 } as const;
    const key = await evidenceKey(base);
    expect(await evidenceKey({ ...base, route: { ...plan.route, description: "other" } })).toBe(key);
    const other = { ...arm, narrowed: { ...arm.narrowed, template: { user: "other {{ text }}" } } };
    const check = { path: "/a", expect: { exists: true }, gate: false };
    for (const change of [
      { arm: other },
      { against: other },
      { epsilon: 0.02 },
      { metric: "golden" },
      { route: { ...plan.route, valueChecks: [check] } },
    ] as const) {
      expect(await evidenceKey({ ...base, ...change })).not.toBe(key);
    }
  });

  it("needs none where the route declares neither an objective nor a bakeoff block", async () => {
    const { plan, run, facts } = await analysedRun({ inputs: 12 });
    const { objective: _, bakeoff: __, ...route } = await referencedRoute();
    const store = memory();
    const report = await reportWithEvidence({ ...plan, route }, run, facts, store);
    expect(report.regrets).toEqual([]);
    expect(store.kept.size).toBe(0);
  });
});

describe("the evidence of this machine", () => {
  const state = () => takeLook(undefined, "bo_1", pairsWith(20, 1, 0), terms).state;

  it("is one file, private, that holds every process", async () => {
    const cwd = mkdtempSync(join(tmpdir(), "evidence-"));
    await evidenceFile(cwd).save("a", state(), 0);
    await evidenceFile(cwd).save("__proto__", state(), 1000);
    expect(await evidenceFile(cwd).load("a")).toEqual(state());
    expect(await evidenceFile(cwd).load("b")).toBeUndefined();
    expect(await evidenceFile(cwd).load("toString")).toBeUndefined();
    expect(statSync(join(cwd, ".modelrig/evidence.json")).mode & 0o777).toBe(0o600);
  });

  it("is refused, not replaced, when it cannot be read", async () => {
    const cwd = mkdtempSync(join(tmpdir(), "evidence-"));
    await evidenceFile(cwd).save("a", state(), 0);
    const path = join(cwd, ".modelrig/evidence.json");
    const cut = readFileSync(path, "utf8").slice(0, 100);
    writeFileSync(path, cut);
    await expect(evidenceFile(cwd).load("a")).rejects.toMatchObject({ code: "bakeoff.evidence" });
    await expect(evidenceFile(cwd).save("a", state(), 0)).rejects.toMatchObject({ code: "bakeoff.evidence" });
    expect(readFileSync(path, "utf8")).toBe(cut);
  });
});

describe("the evidence of an org", () => {
  let local: Awaited<ReturnType<typeof localStore>>;
  beforeAll(async () => {
    local = await localStore();
  });
  afterAll(async () => {
    local.store.close();
    await local.remove();
  });

  it("is kept by its key, the newer state in the older one's place, and seen by that org only", async () => {
    const own = local.store.forOrg("org_1").evidence;
    const one = takeLook(undefined, "bo_1", pairsWith(20, 1, 0), terms);
    const two = takeLook(one.state, "bo_2", renamed(pairsWith(20, 0, 0), "x"), terms);
    await own.save("a", one.state, 1);
    await own.save("a", two.state, 2);
    expect(await own.load("a")).toEqual(two.state);
    expect(await own.load("b")).toBeUndefined();
    expect(await local.store.forOrg("org_2").evidence.load("a")).toBeUndefined();
  });
});
