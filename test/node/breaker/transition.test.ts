import { describe, expect, it } from "vitest";
import { type BreakerEvent, type BreakerState, DEFAULT_BREAKER_SETTINGS } from "../../../src/breaker/breaker.ts";
import { closedBreaker, holdsProbe, LONGEST_RETRY_AFTER_MS, nextBreaker } from "../../../src/breaker/transition.ts";

const settings = DEFAULT_BREAKER_SETTINGS;
const success: BreakerEvent = { type: "report", outcome: "success" };
const failure: BreakerEvent = { type: "report", outcome: "failure" };
const neutral: BreakerEvent = { type: "report", outcome: "neutral" };

/** `random` 0 gives the shortest cool-down: half of the full one. */
function apply(state: BreakerState, events: readonly BreakerEvent[], now = 0, random = 0): BreakerState {
  return events.reduce((current, event) => nextBreaker(current, event, now, settings, () => random), state);
}

const times = (count: number, event: BreakerEvent): BreakerEvent[] => Array.from({ length: count }, () => event);
const closed = closedBreaker(0);
const open = (): BreakerState => apply(closed, times(settings.consecutiveFailures, failure));
const halfOpen = (probeId = "p"): BreakerState => apply(open(), [{ type: "claim", probeId }], 5_000);
const probeReport = (outcome: "success" | "failure" | "neutral", extra: { trip?: boolean } = {}): BreakerEvent => ({
  type: "report",
  outcome,
  probeId: "p",
  ...extra,
});

describe("a closed breaker", () => {
  it("opens on the last of the failures in a row that it allows", () => {
    expect(apply(closed, times(settings.consecutiveFailures - 1, failure)).status).toBe("closed");
    expect(apply(closed, times(settings.consecutiveFailures, failure)).status).toBe("open");
  });

  it("starts counting anew after a success", () => {
    const almost = times(settings.consecutiveFailures - 1, failure);
    expect(apply(closed, [...almost, success, ...almost]).status).toBe("closed");
  });

  it("opens on the failure rate once the window holds enough calls", () => {
    const mixed = Array.from({ length: settings.minimumCalls }, (_, index) => (index % 2 === 0 ? success : failure));
    expect(apply(closed, mixed.slice(0, -1)).status).toBe("closed");
    expect(apply(closed, mixed).status).toBe("open");
  });

  it("does not open below the failure rate, however many calls fail in all", () => {
    const calls = Array.from({ length: 3_000 }, (_, index) => (index % 3 === 0 ? failure : success));
    expect(apply(closed, calls).status).toBe("closed");
  });

  it("counts successes that were gathered and sent together", () => {
    const healthy = apply(closed, [{ type: "report", outcome: "success", count: 100 }]);
    expect(apply(healthy, times(4, failure)).status).toBe("closed");
    expect(healthy).toMatchObject({ window: { successes: 100 } });
  });

  it("forgets failures of windows that are over", () => {
    const failing = apply(closed, [...times(9, success), failure, success, failure], 0);
    expect(apply(failing, [success], settings.windowMs)).toMatchObject({ window: { failures: 1, successes: 6 } });
    expect(apply(failing, [success], settings.windowMs * 2)).toMatchObject({ window: { failures: 0, successes: 1 } });
  });

  it("is not moved by a neutral outcome: the caller's bad request is not the candidate's failure", () => {
    const failing = apply(closed, times(2, failure));
    expect(apply(failing, times(50, neutral))).toBe(failing);
  });

  it("opens at once on a trip", () => {
    expect(apply(closed, [{ type: "report", outcome: "failure", trip: true }]).status).toBe("open");
  });

  it("grants no probe: it needs none", () => {
    expect(apply(closed, [{ type: "claim", probeId: "p" }])).toBe(closed);
  });
});

describe("the cool-down", () => {
  const retryAt = (state: BreakerState) => (state.status === "open" ? state.retryAt : Number.NaN);

  it("lasts between half of its length and the whole of it", () => {
    const opening = times(settings.consecutiveFailures, failure);
    expect(retryAt(apply(closed, opening, 0, 0))).toBe(settings.coolDownMs / 2);
    expect(retryAt(apply(closed, opening, 0, 0.999_999))).toBe(settings.coolDownMs);
  });

  it("doubles with every failed probe, up to its maximum", () => {
    let state = open();
    const lengths: number[] = [];
    for (let round = 0; round < 8; round += 1) {
      const now = retryAt(state);
      state = apply(state, [{ type: "claim", probeId: "p" }, probeReport("failure")], now);
      lengths.push(retryAt(state) - now);
    }
    expect(lengths).toEqual([10_000, 20_000, 40_000, 80_000, 150_000, 150_000, 150_000, 150_000]);
  });

  it("is at least as long as the upstream's Retry-After", () => {
    const asked: BreakerEvent = { type: "report", outcome: "failure", retryAfterMs: 45_000 };
    expect(retryAt(apply(closed, [...times(4, failure), asked]))).toBe(45_000);
  });

  it("is not shortened by a small Retry-After, nor by nonsense", () => {
    for (const retryAfterMs of [1, 0, -5, Number.NaN]) {
      const asked: BreakerEvent = { type: "report", outcome: "failure", retryAfterMs, trip: true };
      expect(retryAt(apply(closed, [asked], 0, 0))).toBe(settings.coolDownMs / 2);
    }
  });

  it("is not extended beyond a day by a Retry-After of ten years", () => {
    const asked: BreakerEvent = { type: "report", outcome: "failure", retryAfterMs: 10 * 365 * 86_400_000, trip: true };
    expect(retryAt(apply(closed, [asked]))).toBe(LONGEST_RETRY_AFTER_MS);
  });

  it("grows by a Retry-After that a call brings home after the breaker opened", () => {
    const late: BreakerEvent = { type: "report", outcome: "failure", retryAfterMs: 60_000 };
    expect(apply(open(), [late], 1_000)).toMatchObject({ status: "open", retryAt: 61_000 });
    expect(apply(open(), [success, neutral, failure], 1_000)).toEqual(open());
  });
});

describe("an open breaker", () => {
  it("grants no probe before its cool-down ends, and one then", () => {
    expect(apply(open(), [{ type: "claim", probeId: "p" }], 4_999)).toEqual(open());
    expect(holdsProbe(apply(open(), [{ type: "claim", probeId: "p" }], 5_000), "p")).toBe(true);
  });

  it("is not closed by a success of a call that began before it opened", () => {
    expect(apply(open(), [success], 100_000)).toEqual(open());
  });
});

describe("a half-open breaker", () => {
  it("grants one of fifty claims", () => {
    let state = open();
    let granted = 0;
    for (let index = 0; index < 50; index += 1) {
      state = apply(state, [{ type: "claim", probeId: `p${index}` }], 5_000);
      if (holdsProbe(state, `p${index}`)) granted += 1;
    }
    expect(granted).toBe(1);
  });

  it("closes on the probe's success and forgets the past", () => {
    expect(apply(halfOpen(), [probeReport("success")], 6_000)).toEqual(closedBreaker(6_000));
  });

  it("reopens on the probe's failure", () => {
    expect(apply(halfOpen(), [probeReport("failure")], 6_000)).toMatchObject({ status: "open", timesOpened: 2 });
  });

  it("stays half-open on a neutral probe and hands the probe to the next claim", () => {
    const handedBack = apply(halfOpen(), [probeReport("neutral")], 6_000);
    expect(handedBack).toEqual({ status: "half_open", timesOpened: 1 });
    expect(holdsProbe(apply(handedBack, [{ type: "claim", probeId: "q" }], 6_000), "q")).toBe(true);
  });

  it("hears nobody but the probe", () => {
    const state = halfOpen();
    expect(apply(state, [success, failure, neutral, { ...success, probeId: "other" }], 6_000)).toBe(state);
  });

  it("reopens when any call finds the account refused", () => {
    const trip: BreakerEvent = { type: "report", outcome: "failure", trip: true };
    expect(apply(halfOpen(), [trip], 6_000)).toMatchObject({ status: "open", timesOpened: 1 });
  });

  it("gives the probe to another when its claim has lapsed, and then ignores the first", () => {
    const lapse = 5_000 + settings.probeTtlMs;
    expect(holdsProbe(apply(halfOpen(), [{ type: "claim", probeId: "q" }], lapse - 1), "q")).toBe(false);
    const second = apply(halfOpen(), [{ type: "claim", probeId: "q" }], lapse);
    expect(holdsProbe(second, "q")).toBe(true);
    expect(apply(second, [probeReport("success")], lapse)).toBe(second);
  });

  it("still believes a late probe that nobody replaced: a long stream ends long after its claim", () => {
    expect(apply(halfOpen(), [probeReport("success")], 3_600_000).status).toBe("closed");
  });

  it("answers a repeated claim as it did the first time", () => {
    const state = halfOpen();
    expect(apply(state, [{ type: "claim", probeId: "p" }], 5_001)).toBe(state);
  });
});
