import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { KeptArtifact } from "../../../src/runs/artifact.ts";
import { underCustody } from "../../../src/runs/custody.ts";
import type { Grade } from "../../../src/runs/grade.ts";
import { recordOf } from "../../../src/telemetry/record.ts";
import { localStore } from "../../support/hosts/local-database.ts";
import { anInference } from "../../support/store/inferences.ts";

let local: Awaited<ReturnType<typeof localStore>>;
beforeAll(async () => {
  local = await localStore();
});
afterAll(async () => {
  local.store.close();
  await local.remove();
});

const deed = { by: "key_1", at: 5 };
const ALL = undefined;
let orgs = 0;
const freshOrg = () => {
  orgs += 1;
  return local.store.forOrg(`org_artifacts_${orgs}`);
};
const artifact = (id: string, more: Partial<KeptArtifact> = {}): KeptArtifact => ({
  id,
  name: "n",
  type: "step_output",
  json: false,
  hash: "h",
  bytes: 1,
  createdAt: 1,
  ...more,
});
const derived = (from: string, of: string) => ({
  artifact: from,
  source: of,
  relation: "derived_from" as const,
  createdAt: 1,
});

describe("artifacts in the database", () => {
  it("hold any text as it is: what comes back has the hash and size that were worked out", async () => {
    const { artifacts } = freshOrg();
    const settings = { custody: "content", artifactMaxBytes: 1_000_000 } as const;
    let made = 0;
    // Strings of any code units: half characters, line ends, quotes, and the character zero.
    const text = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("", "\0", "a\0b", "\ud800", "1e5", "null"));
    await fc.assert(
      fc.asyncProperty(text, async (content) => {
        made += 1;
        const id = `a${made}`;
        const saved = { id, name: "n", type: "other" as const, json: false, content, createdAt: 1 };
        const kept = await underCustody(saved, settings);
        if (!kept.ok) throw new Error(kept.fault.message);
        await artifacts.save([kept.artifact], deed);
        const back = await artifacts.get(id, ALL);
        expect(back?.hash).toBe(kept.artifact.hash);
        // The engine ends a text at the character zero: kept, it would come back cut.
        const storable = !content.includes("\0");
        const text = content.toWellFormed();
        expect(back?.content).toBe(storable ? text : undefined);
        expect(back?.withheld).toBe(storable ? undefined : "not_text");
        if (storable) expect(await underCustody({ ...saved, content: text }, settings)).toEqual(kept);
      }),
      { numRuns: 200 },
    );
  });

  it("are saved item by item, and make the run they name known", async () => {
    const { artifacts, runs, audit } = freshOrg();
    const batch = [artifact("a", { run: "r", createdAt: 9 }), artifact("a"), artifact("b", { run: "r", createdAt: 7 })];
    expect(await artifacts.save(batch, deed)).toEqual(["stored", "duplicate", "stored"]);
    expect(await artifacts.save(batch, deed)).toEqual(["duplicate", "duplicate", "duplicate"]);
    expect(await runs.get("r", ALL)).toMatchObject({ declared: false, startedAt: 7 });
    expect((await artifacts.ofRun("r", ALL)).map(({ id }) => id)).toEqual(["b", "a"]);
    expect((await audit.list(10)).map(({ action }) => action)).toEqual(["artifact.saved"]);
  });

  it("find what they came from over any number of links, nearest first, also in a circle", async () => {
    const { artifacts } = freshOrg();
    await artifacts.save(
      [artifact("out"), artifact("raw", { type: "raw_response" }), artifact("far", { type: "input" })].concat(
        artifact("near", { type: "prompt", content: "p" }),
        artifact("read", { type: "input" }),
      ),
      deed,
    );
    const links = [derived("out", "raw"), derived("raw", "near"), derived("near", "far"), derived("far", "out")];
    const consumed = { ...derived("out", "read"), relation: "consumed" as const };
    expect(await artifacts.link([...links, consumed], deed)).toEqual(Array.from({ length: 5 }, () => "stored"));
    expect(await artifacts.link([derived("out", "raw"), derived("out", "gone")], deed)).toEqual([
      "duplicate",
      "stored",
    ]);
    const origins = await artifacts.origins("out", ALL);
    expect(origins.map(({ artifact: { id, content }, distance }) => [id, content, distance])).toEqual([
      ["near", "p", 2],
      ["far", undefined, 3],
    ]);
  });
});

describe("grades in the database", () => {
  const grade = (id: string, more: Partial<Grade> = {}): Grade => ({
    id,
    subject: { kind: "run", id: "r" },
    score: 1,
    kind: "human",
    grader: "g",
    createdAt: 1,
    ...more,
  });

  it("are never changed: a second one of an id is left out", async () => {
    const { grades, runs } = freshOrg();
    await runs.start([{ id: "r", pipeline: "p", startedAt: 1 }], deed);
    expect(await grades.record([grade("a"), grade("a", { score: 0 }), grade("b")], deed)).toEqual([
      "stored",
      "duplicate",
      "stored",
    ]);
    expect(await grades.record([grade("b", { score: 0 })], deed)).toEqual(["duplicate"]);
    expect((await grades.of({ kind: "run", id: "r" }, ALL)).map(({ id, score }) => [id, score])).toEqual([
      ["b", 1],
      ["a", 1],
    ]);
  });

  it("of a run are those on it, by id and by key, on its calls and on its artifacts, and no others", async () => {
    const { org, grades, runs, artifacts } = freshOrg();
    await runs.start([{ id: "r", pipeline: "p", episodeKey: "key", startedAt: 1 }], deed);
    const calls = ["mine", "other"].map((id) => anInference({ org, id, run: id === "mine" ? "r" : "else" }));
    await local.store.telemetry.insertInferences(calls.map(recordOf));
    await artifacts.save([artifact("mine", { run: "r" }), artifact("other", { run: "else" })], deed);
    const subjects = [
      { kind: "artifact", id: "mine" },
      { kind: "artifact", id: "other" },
      { kind: "inference", id: "mine" },
      { kind: "inference", id: "other" },
      { kind: "run", id: "r" },
      { kind: "run", id: "key" },
      { kind: "run", id: "else" },
    ] as const;
    await grades.record(
      subjects.map((subject, index) => grade(`g${index}`, { subject, createdAt: index })),
      deed,
    );
    const found = await grades.ofRun({ id: "r", episodeKey: "key" }, ALL);
    expect(found.map(({ subject }) => subject)).toEqual([
      { kind: "run", id: "key" },
      { kind: "run", id: "r" },
      { kind: "inference", id: "mine" },
      { kind: "artifact", id: "mine" },
    ]);
  });

  it("say which subjects are known, each of its own kind only", async () => {
    const { org, grades, runs, artifacts } = freshOrg();
    await runs.start([{ id: "run", pipeline: "p", episodeKey: "key", startedAt: 1 }], deed);
    await local.store.telemetry.insertInferences([recordOf(anInference({ org, id: "inference" }))]);
    await artifacts.save([artifact("artifact")], deed);
    const kinds = ["inference", "run", "artifact"] as const;
    const asked = ["inference", "run", "artifact", "key", "none"].flatMap((id) => kinds.map((kind) => ({ kind, id })));
    expect([...(await grades.known(asked, ALL))].sort()).toEqual([
      "artifact:artifact",
      "inference:inference",
      "run:key",
      "run:run",
    ]);
  });
});
