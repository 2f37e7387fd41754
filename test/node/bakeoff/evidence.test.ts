import { appendFileSync, mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LookRecord } from "../../../src/bakeoff/evidence/look-record.ts";
import { gradingDigest, servedDigest } from "../../../src/bakeoff/evidence/served-payload.ts";
import { reportOf, reportWithEvidence } from "../../../src/bakeoff/report/assemble-report.ts";
import { inconsistency } from "../../../src/bakeoff/report/consistency.ts";
import { evidenceFile } from "../../../src/cli/bakeoff/files/evidence-file.ts";
import { analysedRun, referencedRoute } from "../../support/bakeoff/bakeoff-analysis.ts";
import { memoryEvidence } from "../../support/bakeoff/memory-evidence.ts";
import { localStore } from "../../support/hosts/local-database.ts";

const failing = (arm: string, until: number) => ({
  sample: (name: string, index: number) => (name === arm && index < until ? { outcome: "nonconformant" as const } : {}),
});

describe("a report with evidence", () => {
  it("is the plain report at the first look, and the same again for the same bake-off", async () => {
    const { plan, run, facts } = await analysedRun({ inputs: 60 });
    const looks: LookRecord[] = [];
    const first = await reportWithEvidence(plan, run, facts, memoryEvidence(looks));
    expect(first).toEqual(await reportOf(plan, run, facts));
    expect(await reportWithEvidence(plan, run, facts, memoryEvidence(looks))).toEqual(first);
    expect(looks).toHaveLength(1);
    expect(inconsistency(first, looks)).toBeUndefined();
  });

  it("decides another bake-off on what was new, and says so", async () => {
    const looks: LookRecord[] = [];
    const one = await analysedRun({ inputs: 60 });
    await reportWithEvidence(one.plan, one.run, one.facts, memoryEvidence(looks));
    const two = await analysedRun({ inputs: 60, id: "bo_2", prefix: "later_" });
    const report = await reportWithEvidence(two.plan, two.run, two.facts, memoryEvidence(looks));
    expect(report.regrets[0]).toMatchObject({
      evidence: { look: "later", number: 2, items: 120, fresh: 60, questions: 120 },
      estimate: { method: "betting" },
    });
    expect(report.regrets[0]?.evidence?.trajectory.map(({ bakeoff }) => bakeoff)).toEqual(["bo_1", "bo_2"]);
    expect(inconsistency(report, looks)).toBeUndefined();
  });

  it("holds no text of a call, and nothing that could be tried without the salt", async () => {
    const looks: LookRecord[] = [];
    const { plan, run, facts } = await analysedRun({ inputs: 12 });
    await reportWithEvidence(plan, run, facts, memoryEvidence(looks));
    expect(JSON.stringify(looks)).not.toContain("text 1");
    const other: LookRecord[] = [];
    await reportWithEvidence(plan, run, facts, { ...memoryEvidence(other), salt: async () => "other" });
    expect(other[0]?.questions).not.toEqual(looks[0]?.questions);
  });

  it("proposes nothing where the look could not be kept, and says why", async () => {
    const { plan, run, facts } = await analysedRun({ inputs: 200 });
    expect((await reportOf(plan, run, facts)).gate.proposes).toBe("cheap");
    const report = await reportWithEvidence(plan, run, facts, {
      ...memoryEvidence(),
      record: () => Promise.reject(new Error("the disk is full")),
    });
    expect(report.evidence_store).toEqual({ kept: false, note: "the disk is full" });
    expect(report.gate.proposes).toBeUndefined();
    expect(inconsistency(report, [])).toBeUndefined();
  });

  it("proposes nothing on inputs that were picked for their outcome, and keeps no look of them", async () => {
    const looks: LookRecord[] = [];
    const { plan, run, facts } = await analysedRun({ inputs: 200 });
    const sampling = { representative: false, text: "failed ones first" };
    const report = await reportWithEvidence({ ...plan, sampling }, run, facts, memoryEvidence(looks));
    expect(report.gate.proposes).toBeUndefined();
    expect(looks).toEqual([]);
  });

  it("compares challengers with what serves, whatever the route declares", async () => {
    const { plan, run, facts } = await analysedRun({ inputs: 12 });
    const { objective: _, bakeoff: __, ...route } = await referencedRoute();
    const report = await reportOf({ ...plan, route }, run, facts);
    expect(report.regrets).toContainEqual(expect.objectContaining({ arm: "cheap", against: "default", limit: 0.05 }));
  });

  it("is refused where it says something else than the look that is held", async () => {
    const looks: LookRecord[] = [];
    const bad = await analysedRun({ inputs: 200, ...failing("cheap", 40) });
    await reportWithEvidence(bad.plan, bad.run, bad.facts, memoryEvidence(looks));
    const good = await analysedRun({ inputs: 200 });
    const invented = await reportOf(good.plan, good.run, good.facts);
    expect(invented.gate.proposes).toBe("cheap");
    expect(inconsistency(invented, looks)).toContain("not those of the look");
    expect(inconsistency(invented, [])).toContain("no look of this bake-off");
  });
});

describe("what an arm serves", () => {
  const arms = async () => {
    const { plan } = await analysedRun({ inputs: 12 });
    const [, arm] = plan.arms;
    if (!arm) throw new Error("three arms");
    return { narrowed: arm.narrowed, route: plan.route };
  };

  it("is the same under another name, with blanks that no model sees, or in another order of keys", async () => {
    const { narrowed } = await arms();
    const digest = await servedDigest(narrowed);
    const template = narrowed.template && { ...narrowed.template, user: `  ${narrowed.template.user}\n ` };
    expect(await servedDigest({ ...narrowed, template })).toBe(digest);
    const candidates = narrowed.candidates.map((one) => ({ ...one, trial: true }));
    expect(await servedDigest({ ...narrowed, candidates })).toBe(digest);
  });

  it("is another with another prompt, model, parameter, schema or ladder", async () => {
    const { narrowed } = await arms();
    const digest = await servedDigest(narrowed);
    const { output, candidates } = narrowed;
    if (!output) throw new Error("the route has a schema");
    for (const other of [
      { ...narrowed, template: { user: "other {{ text }}" } },
      { ...narrowed, candidates: candidates.map((one) => ({ ...one, key: "sim/other" })) },
      { ...narrowed, candidates: candidates.map((one) => ({ ...one, params: { temperature: 0.9 } })) },
      { ...narrowed, output: { ...output, schema: { type: "object" as const } } },
      { ...narrowed, output: { ...output, ladder: output.ladder.slice(1) } },
    ]) {
      expect(await servedDigest(other)).not.toBe(digest);
    }
  });

  it("is graded another way by another metric, check or judge", async () => {
    const { route } = await arms();
    const check = { path: "/a", expect: { exists: true }, gate: false };
    const digests = await Promise.all([
      gradingDigest(route, "conformance", undefined),
      gradingDigest(route, "golden", undefined),
      gradingDigest({ valueChecks: [check] }, "conformance", undefined),
      gradingDigest(route, "judge", "mistral/large"),
      gradingDigest(route, "judge", "openai/gpt-5.4"),
    ]);
    expect(new Set(digests).size).toBe(digests.length);
    expect(await gradingDigest(route, "golden", "mistral/large")).toBe(digests[1]);
  });
});

async function lookOf(id: string, prefix = "in_", inputs = 12): Promise<LookRecord> {
  const looks: LookRecord[] = [];
  const { plan, run, facts } = await analysedRun({ inputs, id, prefix });
  await reportWithEvidence(plan, run, facts, memoryEvidence(looks));
  const [look] = looks;
  if (!look) throw new Error("a look is taken");
  return look;
}

const withoutLast = (look: LookRecord): LookRecord => ({
  ...look,
  comparisons: look.comparisons.map((one) => ({
    ...one,
    differences: one.differences.map((d, i) => (i === look.questions.length - 1 ? null : d)),
  })),
});
const changed = (look: LookRecord): LookRecord => ({
  ...look,
  comparisons: look.comparisons.map((one) => ({ ...one, differences: one.differences.map(() => 1) })),
});

describe("the evidence of this machine", () => {
  const folder = () => mkdtempSync(join(tmpdir(), "evidence-"));

  it("is one private file to which looks are added, and answers those of the route in the order they came", async () => {
    const cwd = folder();
    const [one, two] = [await lookOf("bo_1"), await lookOf("bo_2", "later_")];
    expect(await evidenceFile(cwd).record(one)).toEqual([one]);
    expect(await evidenceFile(cwd).record(two)).toEqual([one, two]);
    expect(await evidenceFile(cwd).record(one)).toEqual([one]);
    expect(await evidenceFile(cwd).record({ ...two, bakeoff: "bo_3", route: "other" })).toHaveLength(1);
    expect(statSync(join(cwd, ".modelrig/evidence.jsonl")).mode & 0o777).toBe(0o600);
    expect(await evidenceFile(cwd).salt()).toBe(await evidenceFile(cwd).salt());
  });

  it("keeps both of two looks that are recorded at once", async () => {
    const cwd = folder();
    const looks = await Promise.all(["a", "b", "c"].map((id) => lookOf(id, `${id}_`)));
    await Promise.all(looks.map((look) => evidenceFile(cwd).record(look)));
    const all = await evidenceFile(cwd).record(await lookOf("last", "last_"));
    expect(all.map(({ bakeoff }) => bakeoff).sort()).toEqual(["a", "b", "c", "last"]);
  });

  it("lets a bake-off go on with its look, and not change what it said", async () => {
    const cwd = folder();
    const whole = await lookOf("bo_1");
    await evidenceFile(cwd).record(withoutLast(whole));
    expect(await evidenceFile(cwd).record(whole)).toEqual([whole]);
    await expect(evidenceFile(cwd).record(changed(whole))).rejects.toThrow("another look");
  });

  it("forgets a line that was cut by a crash, and refuses one that cannot be read", async () => {
    const cwd = folder();
    const path = join(cwd, ".modelrig/evidence.jsonl");
    await evidenceFile(cwd).record(await lookOf("bo_1"));
    appendFileSync(path, '{"schema":"modelrig.evid');
    const two = await lookOf("bo_2", "later_");
    expect(await evidenceFile(cwd).record(two)).toHaveLength(2);
    const broken = readFileSync(path, "utf8").replace("modelrig.evidence/2", "something else");
    writeFileSync(path, broken);
    await expect(evidenceFile(cwd).record(two)).rejects.toMatchObject({ code: "bakeoff.evidence" });
    expect(readFileSync(path, "utf8")).toBe(broken);
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

  it("keeps every look, in the order in which they were recorded, and shows them to that org only", async () => {
    const own = local.store.forOrg("org_1").evidence;
    const looks = await Promise.all(["a", "b", "c", "d"].map((id) => lookOf(id, `${id}_`)));
    await Promise.all(looks.map((look) => own.record(look)));
    const last = await lookOf("last", "last_");
    const all = await own.record(last);
    expect(all.map(({ bakeoff }) => bakeoff).sort()).toEqual(["a", "b", "c", "d", "last"]);
    expect(all.at(-1)).toEqual(last);
    // What a look is decided on does not change because others came after it.
    expect((await own.upTo(last.route, all[0]?.bakeoff ?? "")).map(({ bakeoff }) => bakeoff)).toEqual([
      all[0]?.bakeoff,
    ]);
    expect(await local.store.forOrg("org_2").evidence.upTo(last.route, "last")).toEqual([]);
  });

  it("lets a bake-off go on with its look, and not change what it said", async () => {
    const own = local.store.forOrg("org_3").evidence;
    const whole = await lookOf("bo_1");
    await own.record(withoutLast(whole));
    expect(await own.record(whole)).toEqual([whole]);
    await expect(own.record(changed(whole))).rejects.toMatchObject({ name: "LookConflict" });
  });

  it("has one salt, which another org does not share", async () => {
    const [one, same] = await Promise.all([1, 2].map(() => local.store.forOrg("org_1").evidence.salt()));
    expect(one).toBe(same);
    expect(await local.store.forOrg("org_2").evidence.salt()).not.toBe(one);
  });
});
