import { describe, expect, it } from "vitest";
import { answerClaim, decide } from "../../../src/breaker/admission.ts";
import { type BreakerEvent, type BreakerState, DEFAULT_BREAKER_SETTINGS } from "../../../src/breaker/breaker.ts";
import { applyEvent, type Breakers, breakerOf, MOST_BREAKERS } from "../../../src/breaker/breakers.ts";
import { snapshotOf } from "../../../src/breaker/snapshot.ts";
import { closedBreaker } from "../../../src/breaker/transition.ts";

const settings = DEFAULT_BREAKER_SETTINGS;
const open: BreakerState = { status: "open", openedAt: 0, retryAt: 10_000, timesOpened: 1 };
const probed: BreakerState = { status: "half_open", timesOpened: 1, probe: { id: "p", lapsesAt: 70_000 } };
const snapshot = (breakers: Breakers, now = 0) => snapshotOf(breakers, 1, now, settings);

describe("a call is decided from the snapshot", () => {
  it("admits what is not listed", () => {
    expect(decide(snapshot({}), "openai/gpt", 0)).toEqual({ type: "admit" });
    expect(decide(snapshot({ a: open }), "constructor", 0)).toEqual({ type: "admit" });
  });

  it("refuses what is open, with the time left", () => {
    expect(decide(snapshot({ a: open }), "a", 4_000)).toEqual({ type: "refuse", retryAfterMs: 6_000 });
  });

  it("must claim what is due", () => {
    expect(decide(snapshot({ a: open }), "a", 10_000)).toEqual({ type: "claim" });
    expect(decide(snapshot({ a: { status: "half_open", timesOpened: 1 } }), "a", 0)).toEqual({ type: "claim" });
  });

  it("refuses while another probes, until that claim lapses", () => {
    expect(decide(snapshot({ a: probed }), "a", 69_000)).toEqual({ type: "refuse", retryAfterMs: 1_000 });
    expect(decide(snapshot({ a: probed }), "a", 70_000)).toEqual({ type: "claim" });
  });
});

describe("a snapshot", () => {
  it("names closed breakers with recent failures, and none whose failures are past", () => {
    const failing = { ...closedBreaker(0), window: { startedAt: 0, successes: 1, failures: 1 } };
    expect(snapshot({ a: failing, b: closedBreaker(0) }).failing).toEqual(["a"]);
    expect(snapshot({ a: failing }, settings.windowMs).failing).toEqual([]);
  });
});

describe("the answer to a claim", () => {
  it("tells the holder of the probe from all others", () => {
    expect(answerClaim(probed, "p", 0)).toEqual({ admitted: true, probe: true });
    expect(answerClaim(probed, "q", 60_000)).toEqual({ admitted: false, retryAfterMs: 10_000 });
    expect(answerClaim(open, "p", 9_000)).toEqual({ admitted: false, retryAfterMs: 1_000 });
  });

  it("admits as an ordinary call where the breaker has closed meanwhile", () => {
    expect(answerClaim(closedBreaker(0), "p", 0)).toEqual({ admitted: true, probe: false });
  });
});

describe("the breakers of an object", () => {
  const failure: BreakerEvent = { type: "report", outcome: "failure" };
  const apply = (breakers: Breakers, key: string, event: BreakerEvent, now = 0) =>
    applyEvent(breakers, key, event, now, settings, () => 0);

  it("keep no key for a healthy candidate", () => {
    const healthy = apply({}, "a", { type: "report", outcome: "success" });
    expect(healthy).toEqual({});
    expect(apply(apply({}, "a", failure), "a", { type: "report", outcome: "success" }, 130_000)).toEqual({});
  });

  it("count failures of one candidate against that candidate only", () => {
    let breakers: Breakers = {};
    for (let index = 0; index < settings.consecutiveFailures; index += 1) breakers = apply(breakers, "a", failure);
    expect(breakerOf(breakers, "a", 0).status).toBe("open");
    expect(breakerOf(breakers, "b", 0).status).toBe("closed");
  });

  it("stay few when a caller makes up names, and keep the newest", () => {
    let breakers: Breakers = {};
    for (let index = 0; index < MOST_BREAKERS + 50; index += 1) breakers = apply(breakers, `m${index}`, failure, index);
    expect(Object.keys(breakers)).toHaveLength(MOST_BREAKERS);
    expect(breakers).not.toHaveProperty("m0");
    expect(breakers).toHaveProperty(`m${MOST_BREAKERS + 49}`);
  });
});
