import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { openCaptures } from "../../../src/workspace/local-captures.ts";
import { bufferedItems, type RigProject, rigProject, textRoute } from "../../support/hosts/rig.ts";
import {
  completion,
  json,
  type ScriptedUpstream,
  startScriptedUpstream,
  streamed,
} from "../../support/upstreams/scripted-upstream.ts";

const INPUT = "canary-input-71c2";
const OUTPUT = "canary-output-aa05";

let upstream: ScriptedUpstream;
let project: RigProject;
beforeAll(async () => {
  upstream = await startScriptedUpstream();
});
afterEach(async () => await project.end());
afterAll(async () => await upstream.close());

function open(more: Readonly<Record<string, unknown>> = {}): RigProject {
  const variants = [{ name: "other", candidates: [{ provider: "up", model: "other" }] }];
  const candidates = [
    { provider: "up", model: "m" },
    { provider: "up", model: "other" },
  ];
  project = rigProject({
    baseUrl: upstream.baseUrl,
    routes: {
      "kept.text": textRoute({ capture: true, candidates, variants, ...more }),
      "unkept.text": textRoute(),
      "limited.text": textRoute({ budget: { usd_per_day: 0.0005 } }),
    },
  });
  return project;
}

function captured() {
  const store = openCaptures(project.cwd);
  try {
    return store.list({ limit: 100 });
  } finally {
    store.close();
  }
}

describe("captures of a rig", () => {
  it("are written where the route allows it: variables, output, failures, streams; and nowhere else", async () => {
    const rig = open().rig();
    upstream.script(completion(OUTPUT));
    await rig.run("kept.text", { input: { text: INPUT }, tags: { client: "c" } });
    await rig.run("unkept.text", { input: { text: INPUT } });
    await rig.runRaw({ provider: "up", model: "m", messages: [{ role: "user", content: INPUT }] });
    upstream.script(streamed([{ content: "streamed" }]));
    await (await rig.run("kept.text", { input: { text: "s" }, stream: true })).final;
    upstream.script(json(500, { error: { message: "down" } }));
    await rig.run("kept.text", { input: { text: "f" }, variant: "other" }).catch(() => undefined);
    // A call whose input does not fit reached no model: nothing to learn from.
    await rig.run("kept.text", { input: {} }).catch(() => undefined);
    expect([...captured()].reverse()).toMatchObject([
      {
        route: "kept.text",
        payload: { kind: "variables", variables: { text: INPUT } },
        output: OUTPUT,
        outcome: "answered",
        served: "up/m",
        tags: { client: "c" },
      },
      { payload: { variables: { text: "s" } }, output: "streamed", outcome: "answered" },
      { payload: { variables: { text: "f" } }, variant: "other", outcome: "server_error" },
    ]);
  });

  it("never reach what is exported", async () => {
    const rig = open().rig();
    upstream.script(completion(OUTPUT));
    await rig.run("kept.text", { input: { text: INPUT } });
    await rig.close();
    const items = JSON.stringify(bufferedItems(project.cwd));
    expect(items).toContain("kept.text");
    const buffer = join(project.cwd, ".modelrig", "buffer");
    const bytes = readdirSync(buffer).map((name) => readFileSync(join(buffer, name), "latin1"));
    for (const canary of [INPUT, OUTPUT]) expect(bytes.join() + items).not.toContain(canary);
    expect(captured()).toHaveLength(1);
  });
});

describe("rig.replay", () => {
  it("asks captured inputs again through a variant, tags them, and captures nothing", async () => {
    const rig = open().rig();
    upstream.script(completion(OUTPUT));
    for (const text of ["one", "two", "three"]) await rig.run("kept.text", { input: { text } });
    const before = upstream.seen.length;
    upstream.script(completion("replayed"));
    const samples = await rig.replay("kept.text", { variant: "other", lastN: 2, envelopeUsd: 10 });
    expect(samples).toHaveLength(2);
    for (const sample of samples) {
      expect(sample).toMatchObject({
        outcome: "answered",
        text: "replayed",
        capturedText: OUTPUT,
        meta: { served: "up/other", variant: "other" },
      });
    }
    const asked = upstream.seen.slice(before).map(({ body }) => JSON.stringify(body["messages"]));
    expect(asked.join()).toContain("three");
    expect(asked.join()).not.toContain("one");
    expect(captured()).toHaveLength(3);
    const calls = bufferedItems(project.cwd).flatMap((item) => (item.type === "inference" ? [item.inference] : []));
    const replays = calls.filter(({ lane }) => lane === "replay");
    expect(replays).toHaveLength(2);
    for (const { tags } of replays) expect(tags["replay"]).toMatch(/^rp_/);
  });

  it("ends at its envelope: what was answered stands, the one that met the limit is refused", async () => {
    const rig = open().rig();
    upstream.script(completion("x"));
    for (let index = 0; index < 6; index += 1) await rig.run("kept.text", { input: { text: `${index}` } });
    // Each could cost up to about 0.00027, and does cost 0.000025.
    const samples = await rig.replay("kept.text", { lastN: 6, envelopeUsd: 0.00034, concurrency: 3 });
    const outcomes = samples.map(({ outcome }) => outcome);
    expect(outcomes.filter((outcome) => outcome === "answered").length).toBeGreaterThan(0);
    expect(outcomes.filter((outcome) => outcome === "refused")).toHaveLength(1);
    expect(samples.length).toBeLessThan(6);
    expect(samples.find(({ outcome }) => outcome === "refused")).toMatchObject({ failureClass: "budget_exhausted" });
  });
});

describe("spend limits without a gateway", () => {
  it("hold on this machine, over all its rigs", async () => {
    const files = open();
    const rigs = [files.rig(), files.rig()];
    upstream.script(completion("ok"));
    let answered = 0;
    let refusal: unknown;
    while (refusal === undefined && answered < 100) {
      const rig = rigs[answered % 2];
      refusal = await rig?.run("limited.text", { input: { text: "x" } }).then(
        () => undefined,
        (cause: unknown) => cause,
      );
      if (refusal === undefined) answered += 1;
    }
    expect(answered).toBeGreaterThan(1);
    expect(refusal).toMatchObject({ failureClass: "budget_exhausted", reason: expect.stringMatching(/^envelope_/) });
  });
});

describe("breakers of a rig", () => {
  it("open on failures in a row, and keep the calls off the candidate", async () => {
    const rig = open().rig();
    upstream.script(json(500, { error: { message: "down" } }));
    for (let index = 0; index < 5; index += 1) {
      await rig.run("unkept.text", { input: { text: "x" } }).catch(() => undefined);
    }
    const before = upstream.seen.length;
    await expect(rig.run("unkept.text", { input: { text: "x" } })).rejects.toMatchObject({
      failureClass: "breaker_open",
      retryAfterMs: expect.any(Number),
    });
    expect(upstream.seen.length).toBe(before);
  });
});
