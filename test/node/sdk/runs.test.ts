import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { ExportItem } from "../../../src/sdk/export/exporter.ts";
import type { Rig } from "../../../src/sdk/index.ts";
import { bufferedItems, type RigProject, rigProject, textRoute } from "../../support/hosts/rig.ts";
import { completion, type ScriptedUpstream, startScriptedUpstream } from "../../support/upstreams/scripted-upstream.ts";

let upstream: ScriptedUpstream;
let project: RigProject;
let rig: Rig;
beforeAll(async () => {
  upstream = await startScriptedUpstream();
});
afterEach(async () => await project.end());
afterAll(async () => await upstream.close());

function open(): Rig {
  project = rigProject({ baseUrl: upstream.baseUrl, routes: { "a.text": textRoute() } });
  rig = project.rig();
  upstream.script(completion("ok"));
  return rig;
}

type Item<T extends ExportItem["type"]> = Extract<ExportItem, { type: T }>;
function items<T extends ExportItem["type"]>(type: T): Item<T>[] {
  return bufferedItems(project.cwd).filter((item): item is Item<T> => item.type === type);
}

describe("the run around a call", () => {
  it("is the one that start began, until it ends", async () => {
    open();
    const run = rig.artifacts.run.start({
      pipeline: "support",
      episodeKey: "ticket-7",
      environment: "test",
      subject: "acme",
      feature: "triage",
      tags: { region: "eu" },
    });
    await rig.run("a.text", { input: { text: "x" }, tags: { client: "c" }, stepKey: "summarize" });
    run.end("succeeded");
    await rig.run("a.text", { input: { text: "y" } });
    expect(items("run_start")).toMatchObject([
      { run: { id: run.runId, pipeline: "support", episodeKey: "ticket-7", environment: "test", subject: "acme" } },
    ]);
    expect(items("run_end")).toMatchObject([{ run: { id: run.runId, status: "succeeded" } }]);
    const [inside, after] = items("inference");
    expect(inside?.inference).toMatchObject({
      run: run.runId,
      step: "summarize",
      tags: { region: "eu", subject: "acme", feature: "triage", client: "c" },
    });
    expect(after?.inference).toMatchObject({ run: null, tags: {} });
  });

  it("never is another scope's, however they overlap", async () => {
    open();
    const ids = new Map<string, string>();
    await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        rig.artifacts.run.scope({ pipeline: "p", subject: `s${index}` }, async (run) => {
          ids.set(`s${index}`, run.runId);
          for (let call = 0; call < 4; call += 1) {
            await new Promise((resolve) => setTimeout(resolve, (index * 7 + call * 3) % 5));
            await rig.run("a.text", { input: { text: "x" }, stepKey: `s${index}` });
          }
        }),
      ),
    );
    const calls = items("inference").map(({ inference }) => inference);
    expect(calls).toHaveLength(32);
    for (const { run, step, tags } of calls) {
      expect(run).toBe(ids.get(step ?? ""));
      expect(tags["subject"]).toBe(step);
    }
  });

  it("ends as its scope does: a throw fails it, an abort cancels it, an earlier end stands", async () => {
    open();
    const scope = (work: (run: { end(status: "failed"): void }) => void) =>
      rig.artifacts.run.scope({ pipeline: "p" }, work).catch((cause: unknown) => cause);
    await scope(() => undefined);
    expect(await scope(() => assertFails("boom"))).toBeInstanceOf(Error);
    await scope(() => {
      throw new DOMException("stop", "AbortError");
    });
    await scope((run) => run.end("failed"));
    expect(items("run_end").map(({ run }) => run.status)).toEqual(["succeeded", "failed", "canceled", "failed"]);
  });

  it("hands back to the scope around it when a nested one ends", async () => {
    open();
    await rig.artifacts.run.scope({ pipeline: "outer" }, async (outer) => {
      await rig.artifacts.run.scope({ pipeline: "inner" }, () => rig.run("a.text", { input: { text: "1" } }));
      const { meta } = await rig.run("a.text", { input: { text: "2" } });
      expect(meta.runId).toBe(outer.runId);
    });
    const [first, second] = items("inference").map(({ inference }) => inference.run);
    expect(first).not.toBe(second);
  });

  it("keeps run_id and step to itself: a tag of that name is left out, and said once", async () => {
    open();
    const tags = { run_id: "mine", step: "mine", client: "c" };
    await rig.run("a.text", { input: { text: "x" }, tags });
    await rig.run("a.text", { input: { text: "x" }, tags });
    expect(items("inference").map(({ inference }) => inference.tags)).toEqual([{ client: "c" }, { client: "c" }]);
    expect(project.warnings.filter((line) => line.includes("run_id"))).toHaveLength(1);
  });

  it("starts whatever the caller gave: what does not fit is left out, and said", () => {
    open();
    const run = rig.artifacts.run.start({ pipeline: "p", environment: "x".repeat(300), tags: { "bad name": "v" } });
    run.end();
    expect(items("run_start")[0]?.run).toMatchObject({ id: run.runId, pipeline: "p" });
    expect(items("run_start")[0]?.run.environment).toBeUndefined();
    expect(project.warnings.join("\n")).toContain("environment");
  });
});

function assertFails(message: string): never {
  throw new Error(message);
}

describe("rig.recordCall", () => {
  it("prices what was reported, and joins it to its run and step", async () => {
    open();
    await rig.artifacts.run.scope({ pipeline: "p", subject: "acme" }, (run) => {
      const rec = rig.recordCall({
        provider: "up",
        model: "m",
        usage: { tokensIn: 1_000, tokensOut: 100, tokensCached: 10 },
        servedTier: "standard",
        latencyMs: 12,
        stepKey: "summarize",
        finishReason: "stop",
      });
      const [item] = items("inference");
      expect(item?.inference).toMatchObject({
        id: rec.inferenceId,
        lane: "recorded",
        run: run.runId,
        step: "summarize",
        costNano: 1_200_000,
        tags: { subject: "acme" },
        attempts: [{ tokens: { input: 1_000, cacheRead: 10, output: 100 } }],
      });
    });
  });

  it("records nothing of what does not fit, says so once, and never throws", () => {
    open();
    const wrong: unknown[] = [
      { provider: "", model: "m" },
      { provider: "up" },
      { provider: "up", model: "m", usage: { tokensIn: -1 } },
      { provider: "up", model: "m", usage: { tokensIn: 1.5 } },
      { provider: "up", model: "m", unknown: true },
      undefined,
      null,
      "text",
    ];
    for (const input of wrong) expect(rig.recordCall(input as never)).toEqual({ inferenceId: null });
    expect(items("inference")).toEqual([]);
    expect(project.warnings.filter((line) => line.startsWith("recordCall"))).toHaveLength(1);
  });
});

describe("rig.grade", () => {
  it("records a judgment, and nothing that is none", () => {
    open();
    const subject = { kind: "inference", id: "inf_1" } as const;
    const id = rig.grade(subject, { score: 1, kind: "deterministic", grader: "schema-check" });
    expect(items("grade")).toMatchObject([{ grade: { id, subject, score: 1, grader: "schema-check" } }]);
    expect(rig.grade(subject, { score: 1.2, kind: "human" })).toBeNull();
    expect(rig.grade(undefined as never, { score: 1, kind: "human" })).toBeNull();
    expect(rig.grade(subject, undefined as never)).toBeNull();
    expect(project.warnings).toHaveLength(1);
  });
});

describe("artifacts", () => {
  it("are saved with their hash and conformance, linked, and promoted", async () => {
    open();
    await rig.artifacts.run.scope({ pipeline: "p" }, (run) => {
      const { save, link, promoteToEval } = rig.artifacts.artifact;
      const prompt = save("the prompt", { name: "s.prompt", type: "prompt", stepKey: "s" });
      const schema = { type: "object", required: ["a"] };
      const output = save({ a: 1 }, { name: "s.output", type: "step_output", task: "a.text", stepKey: "s", schema });
      const bad = save({ b: 1 }, { name: "s.bad", type: "step_output", stepKey: "s", schema });
      if (!prompt || !output || !bad) throw new Error("not saved");
      expect(link(output, prompt, "derived_from")).toBe(true);
      const caseId = promoteToEval(output, { corrected: { a: 2 } });
      expect(items("artifact").map(({ artifact }) => artifact)).toMatchObject([
        { id: prompt.id, run: run.runId, step: "s", content: "the prompt", json: false, bytes: 10 },
        { id: output.id, content: '{"a":1}', json: true, conformant: true, task: "a.text" },
        { id: bad.id, conformant: false },
      ]);
      expect(items("link")).toMatchObject([{ link: { artifact: output.id, source: prompt.id } }]);
      expect(items("promote")).toMatchObject([
        { artifact: output.id, body: { id: caseId, task: "a.text", corrected: { a: 2 } } },
      ]);
      expect(promoteToEval(prompt)).toBeNull();
    });
  });

  it("that were not saved, or are none, are neither linked nor promoted, and nothing throws", () => {
    open();
    const { save, link, promoteToEval } = rig.artifacts.artifact;
    const known = save("x", { name: "n", type: "other", task: "a.text" });
    const lost = save(undefined, { name: "n", type: "other" });
    for (const none of [lost, undefined as never, "no id", {} as never, 7 as never]) {
      expect(link(none, known, "derived_from")).toBe(false);
      expect(link(known, none, "consumed")).toBe(false);
      expect(promoteToEval(none, { task: "a.text" })).toBeNull();
    }
    expect(link(known, known, "resembles" as never)).toBe(false);
    expect(promoteToEval(known, null as never)).not.toBeNull();
    expect(items("link")).toEqual([]);
  });

  it("that cannot be saved are null, and their content stays here where the rig says so", async () => {
    open();
    const loop: Record<string, unknown> = {};
    loop["self"] = loop;
    const { save } = rig.artifacts.artifact;
    expect(save(loop, { name: "n", type: "other" })).toBeNull();
    expect(save(undefined, { name: "n", type: "other" })).toBeNull();
    expect(save("x", { name: "", type: "other" })).toBeNull();
    const own = project.rig({ artifactContent: false });
    own.artifacts.artifact.save("canary-content", { name: "n", type: "other" });
    const [saved] = items("artifact");
    expect(saved?.artifact).toMatchObject({ bytes: 14, hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(JSON.stringify(saved)).not.toContain("canary-content");
  });
});
