import { describe, expect, it } from "vitest";
import type { CallInput } from "../../../src/call/call.ts";
import { executeCall } from "../../../src/call/execute.ts";
import { replayLedger } from "../../../src/cli/replay-ledger.ts";
import { compileSchema } from "../../../src/json/schema/validate.ts";
import { nanoUsd, usdToNano } from "../../../src/money/nano-usd.ts";
import { withoutDoubt } from "../../../src/probe/calls.ts";
import { type ProbeOutcome, type ProbePlan, probeEnvelope, probeModel } from "../../../src/probe/probe.ts";
import { probeTask } from "../../../src/probe/tasks.ts";
import { PROBED } from "../../../src/registry/capability.ts";
import { engineHost } from "../../../src/workspace/engine-host.ts";
import { compileText } from "../../support/sources/bundles.ts";

async function probing(target: ProbePlan["target"], fields: Partial<ProbePlan> = {}, signal = new AbortController()) {
  const compiled = await compileText("route: acme.task\ncandidates: [{ provider: sim, model: atlas-large }]\n", {
    config: "sim: { enabled: true, latency: 0 }\n",
  });
  if (!compiled.ok) throw new Error("does not compile");
  const ledger = replayLedger(() => 0);
  const host = engineHost(compiled.value, {
    environment: {},
    envelopes: ledger,
    recorder: { record: () => undefined },
  });
  const ports = { ...host, providers: withoutDoubt(host.providers, target) };
  const calls: CallInput[] = [];
  const plan = {
    id: "p",
    org: "o",
    target,
    capabilities: PROBED,
    n: 40,
    limit: usdToNano("5"),
    concurrency: 4,
    ...fields,
  };
  const execute = async (input: CallInput) => {
    calls.push(input);
    return executeCall(input, ports);
  };
  const outcomes = await probeModel(plan, { execute, now: () => 1_700_000_000_000 }, signal.signal);
  return { outcomes, calls, ledger, of: (name: string) => outcomes.find(({ capability }) => capability === name) };
}

const passed = (outcome: ProbeOutcome | undefined) => `${outcome?.row?.passed}/${outcome?.row?.n}`;

describe("a probe of a model", () => {
  it("tells what it can from what it cannot, whatever is declared of it", async () => {
    const { of } = await probing({ provider: "sim", model: "nimbus-mini" });
    expect(passed(of("tools"))).toBe("40/40");
    // It has no strict mode: its provider refuses or ignores the schema.
    expect(of("native_strict")?.row?.high).toBeLessThan(0.9);
    expect(of("coached")?.row?.passed).toBeGreaterThan(0);
    expect(of("coached")?.row?.passed).toBeLessThan(40);
    expect(passed(of("caching"))).toBe("0/5");
  });

  it("measures one rung at a time, without a repair that would hide a broken answer", async () => {
    const { calls } = await probing({ provider: "sim", model: "atlas-small" }, { n: 2 });
    const ladders = calls.map(({ policy, context }) => [context.step, policy.output?.ladder]);
    expect(ladders).toContainEqual(["coached", ["coached"]]);
    expect(ladders.every(([, ladder]) => ladder === undefined || ladder.length === 1)).toBe(true);
    expect(calls.every(({ policy, context }) => policy.retry.content_invalid === 0 && context.lane === "probe")).toBe(
      true,
    );
  });

  it("says when, by which set of probes, of how many, and what it cost", async () => {
    const { of } = await probing({ provider: "sim", model: "atlas-large" }, { capabilities: ["coached"] });
    expect(of("coached")).toMatchObject({
      complete: true,
      row: {
        n: 40,
        passed: 40,
        low: expect.closeTo(0.9124, 4),
        high: 1,
        measuredAt: "2023-11-14T22:13:20.000Z",
        method: "probe-v1",
        simulated: true,
      },
    });
    expect(of("coached")?.row?.cost).toBe(of("coached")?.cost);
    expect(of("coached")?.cost).toBeGreaterThan(0);
  });

  it("stops before its envelope would overrun, keeps what it paid for, and says that it was cut short", async () => {
    const limit = usdToNano("0.05");
    const { of, ledger } = await probing(
      { provider: "sim", model: "atlas-large" },
      { capabilities: ["coached", "tools"], limit },
    );
    expect(ledger.spent(probeEnvelope("p", limit).id)).toBeLessThanOrEqual(limit);
    const coached = of("coached");
    expect(coached).toMatchObject({ complete: false });
    expect(coached?.row?.n).toBeGreaterThan(0);
    expect(coached?.row?.n).toBeLessThan(40);
    expect(of("tools")?.complete).toBe(false);
  });

  it("counts an outage or a missing price as nothing learned, not as a failure of the model", async () => {
    const unpriced = await probing({ provider: "ollama", model: "mine" }, { capabilities: ["coached"], n: 3 });
    expect(unpriced.of("coached")).toMatchObject({ row: undefined, unanswered: { unpriced: expect.any(Number) } });
    const keyless = await probing({ provider: "openai", model: "gpt-5.4-mini" }, { capabilities: ["coached"], n: 3 });
    expect(keyless.of("coached")).toMatchObject({ row: undefined, unanswered: { no_candidate: 3 }, cost: nanoUsd(0) });
  });

  it("ends at once when it is told to, with what it has", async () => {
    const stop = new AbortController();
    stop.abort();
    const { outcomes, calls } = await probing({ provider: "sim", model: "atlas-small" }, {}, stop);
    expect(calls).toEqual([]);
    expect(outcomes.every(({ row, complete }) => row === undefined && !complete)).toBe(true);
  });
});

describe("the tasks", () => {
  it("are schemas that the validator enforces whole, and never ask the same twice", () => {
    const tasks = Array.from({ length: 200 }, (_, index) => probeTask(index));
    expect(tasks.every(({ schema }) => compileSchema(schema).ok)).toBe(true);
    expect(new Set(tasks.map(({ prompt }) => prompt)).size).toBe(200);
  });
});
