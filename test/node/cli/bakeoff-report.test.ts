import { mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { GradesFile } from "../../../src/bakeoff/judge/human-grades.ts";
import { keepGrades, storedGrades } from "../../../src/cli/bakeoff/files/grade-file.ts";
import { main } from "../../../src/cli/main.ts";
import { type IngestItem, ingestItem } from "../../../src/runs/ingest.ts";
import { keepRun, type PageRun, runWithSamples } from "../../support/bakeoff/bakeoff-page.ts";
import { fakeIo } from "../../support/hosts/fake-io.ts";
import { listen } from "../../support/upstreams/http-server.ts";

let cwd: string;
let made: PageRun;

beforeEach(async () => {
  cwd = mkdtempSync(join(tmpdir(), "modelrig-bakeoff-report-"));
  made = await runWithSamples({ inputs: 20 });
  keepRun(cwd, made);
});

async function modelrig(args: readonly string[], env: Record<string, string> = {}) {
  const io = fakeIo({ cwd, env });
  const exitCode = await main(args, io);
  return { exitCode, out: io.out(), err: io.err() };
}

function gradesOf(scores: readonly number[], more: Partial<GradesFile> = {}): GradesFile {
  const grades = scores.map((score, index) => {
    const { input, arm } = made.local.outputs[index] ?? { input: "", arm: "" };
    return { input, arm, score, blind: true, at: `2026-11-29T12:00:${String(index).padStart(2, "0")}.000Z` };
  });
  return {
    schema: "modelrig.grades/1",
    bakeoff: made.report.id,
    route: made.report.route,
    grader: "ann",
    grades,
    ...more,
  };
}

function saved(file: GradesFile): string {
  writeFileSync(join(cwd, "saved.json"), JSON.stringify(file));
  return "saved.json";
}

describe("modelrig bakeoff report", () => {
  it("prints a past one again, as a matrix or as JSON", async () => {
    const { id } = made.report;
    expect((await modelrig(["bakeoff", "report", id])).out).toContain("acme.task");
    expect(JSON.parse((await modelrig(["bakeoff", "report", id, "--json"])).out)).toEqual(
      JSON.parse(JSON.stringify(made.report)),
    );
  });

  it("writes it as one file that only its owner reads, and says that texts are in it", async () => {
    const { exitCode, err } = await modelrig(["bakeoff", "report", made.report.id, "--html", "report.html"]);
    expect({ exitCode, err }).toMatchObject({
      exitCode: 0,
      err: expect.stringContaining("holds inputs and outputs of your calls"),
    });
    expect(statSync(join(cwd, "report.html")).mode & 0o777).toBe(0o600);
    const page = readFileSync(join(cwd, "report.html"), "utf8");
    expect(page).toContain("Samples side by side");
    expect(page).toContain("price book genai-prices@0.1.8");
  });

  it("leaves every text out where it is asked to", async () => {
    const { err } = await modelrig(["bakeoff", "report", made.report.id, "--html", "f.html", "--figures-only"]);
    expect(err).toContain("figures only");
    expect(readFileSync(join(cwd, "f.html"), "utf8")).not.toMatch(/refund|text 1\b/);
  });

  it("of one that is not here asks the gateway, and says so where there is none", async () => {
    expect(await modelrig(["bakeoff", "report", "bo_none"])).toMatchObject({
      exitCode: 2,
      err: expect.stringContaining("no gateway"),
    });
  });
});

describe("modelrig bakeoff grade", () => {
  it("keeps grades here where no gateway is configured, with the agreement from ten on", async () => {
    const { exitCode, err } = await modelrig(["bakeoff", "grade", made.report.id, saved(gradesOf(Array(12).fill(1)))]);
    expect(exitCode).toBe(0);
    expect(err).toMatch(/ann: 12 grades .* agrees with conformance on 12 of 12 blind grades, 100% \[[\d.]+,100\]/);
    expect(err).toContain("the grades are kept here");
    expect(storedGrades(fakeIo({ cwd }), made.report.id)).toMatchObject([{ grader: "ann", grades: { length: 12 } }]);
  });

  it("sends them as grades of their calls, whose figures go along, and sent again they are the same", async () => {
    const batches: IngestItem[][] = [];
    const gateway = await listen(async (request, response) => {
      const text = (await request.toArray()).join("");
      const { items } = JSON.parse(text) as { items: unknown[] };
      batches.push(items.map((item) => ingestItem.parse(item)));
      expect(text).not.toMatch(/refund|text 1\b/);
      response.end(JSON.stringify({ accepted: items.length, items: [] }));
    });
    const env = { MODELRIG_URL: gateway.url, MODELRIG_KEY: "rig_sk_test" };
    try {
      const file = saved(gradesOf([1, 0.25, 0]));
      const first = await modelrig(["bakeoff", "grade", made.report.id, file, "--json"], env);
      expect(first.exitCode).toBe(0);
      expect(JSON.parse(first.out)).toMatchObject({
        graders: [{ grader: "ann", grades: 3, sent: { accepted: 3, refused: {} } }],
      });
      await modelrig(["bakeoff", "grade", made.report.id], env);
    } finally {
      await gateway.close();
    }
    const [one = [], again = []] = batches;
    expect(again).toEqual(one);
    const calls = one.flatMap((item) => (item.type === "inference" ? [item.inference] : []));
    const grades = one.flatMap((item) => (item.type === "grade" ? [item.grade] : []));
    expect(calls.map(({ lane }) => lane)).toEqual(["replay", "replay", "replay"]);
    expect(grades.map(({ subject }) => subject)).toEqual(calls.map(({ id }) => ({ kind: "inference", id })));
    expect(grades.map(({ score, kind, grader }) => [score, kind, grader])).toEqual(
      [1, 0.25, 0].map((score) => [score, "human", "ann"]),
    );
  });

  it("is partial where the gateway refuses some, and names why", async () => {
    const gateway = await listen((_, response) => {
      response.end(JSON.stringify({ accepted: 3, items: [{ index: 3, status: "refused", code: "invalid_item" }] }));
    });
    const env = { MODELRIG_URL: gateway.url, MODELRIG_KEY: "rig_sk_test" };
    const { exitCode, err } = await modelrig(
      ["bakeoff", "grade", made.report.id, saved(gradesOf([1, 1]))],
      env,
    ).finally(gateway.close);
    expect({ exitCode, err }).toMatchObject({
      exitCode: 6,
      err: expect.stringContaining("1 grades with the figures of their calls, no text, 1 refused (invalid_item)"),
    });
  });

  it("refuses grades of another bake-off, of outputs it does not have, and files that hold none", async () => {
    const { id } = made.report;
    const other = await modelrig(["bakeoff", "grade", id, saved(gradesOf([1], { bakeoff: "bo_other" }))]);
    expect(other).toMatchObject({ exitCode: 2, err: expect.stringContaining("grades of bake-off bo_other") });
    const [grade] = gradesOf([1]).grades;
    const stray = { ...grade!, input: "in_999" };
    expect(await modelrig(["bakeoff", "grade", id, saved(gradesOf([], { grades: [stray] }))])).toMatchObject({
      exitCode: 2,
      err: expect.stringContaining("in_999"),
    });
    writeFileSync(join(cwd, "none.json"), "{}");
    expect(await modelrig(["bakeoff", "grade", id, "none.json"])).toMatchObject({ exitCode: 2 });
    expect(await modelrig(["bakeoff", "grade", id])).toMatchObject({
      exitCode: 2,
      err: expect.stringContaining("no grades"),
    });
    expect(storedGrades(fakeIo({ cwd }), id)).toEqual([]);
  });

  it("keeps the later of two grades on one output, whichever file comes first, and one entry per grader", () => {
    const io = fakeIo({ cwd });
    const { id } = made.report;
    const [early, late] = [gradesOf([0]), gradesOf([1])];
    const later = { ...late, grades: late.grades.map((grade) => ({ ...grade, at: "2026-11-30T00:00:00.000Z" })) };
    keepGrades(io, id, later, "merge");
    expect(keepGrades(io, id, early, "merge").grades.map(({ score }) => score)).toEqual([1]);
    keepGrades(io, id, { ...early, grader: "bob" }, "merge");
    expect(storedGrades(io, id).map(({ grader }) => grader)).toEqual(["ann", "bob"]);
    // What a page sends is all there is: an undone grade is gone.
    expect(keepGrades(io, id, { ...early, grades: [] }, "replace").grades).toEqual([]);
  });
});
