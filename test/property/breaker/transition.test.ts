import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { BreakerEvent, BreakerSettings, BreakerState } from "../../../src/breaker/breaker.ts";
import {
  closedBreaker,
  holdsProbe,
  LONGEST_RETRY_AFTER_MS,
  nextBreaker,
  windowAt,
} from "../../../src/breaker/transition.ts";

const settings: BreakerSettings = {
  consecutiveFailures: 3,
  failureRate: 0.5,
  minimumCalls: 8,
  windowMs: 1_000,
  coolDownMs: 100,
  maxCoolDownMs: 1_000,
  probeTtlMs: 400,
};

type Step =
  | { readonly type: "wait"; readonly ms: number }
  | { readonly type: "claim" }
  /** `of` picks who reports: a probe that was granted at some time, or (beyond those) an ordinary call. */
  | {
      readonly type: "report";
      readonly outcome: "success" | "failure" | "neutral";
      readonly of: number;
      readonly retryAfterMs: number | undefined;
      readonly trip: boolean;
    };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ type: fc.constant("wait" as const), ms: fc.integer({ min: 0, max: 600 }) }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant("claim" as const) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant("report" as const),
      outcome: fc.constantFrom("success" as const, "failure" as const, "failure" as const, "neutral" as const),
      of: fc.nat(8),
      retryAfterMs: fc.option(
        fc.oneof(fc.integer({ min: -10, max: 3_000 }), fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY)),
        { nil: undefined },
      ),
      trip: fc.nat(14).map((value) => value === 0),
    }),
  },
);
const steps = fc.array(step, { maxLength: 120, size: "max" });

interface Moment {
  readonly before: BreakerState;
  readonly after: BreakerState;
  readonly event: BreakerEvent;
  readonly now: number;
}

/** Runs steps against the rule and shows every event with the states around it. */
function run(
  script: readonly Step[],
  seed: number,
  look: (moment: Moment) => void,
): { state: BreakerState; now: number } {
  let state: BreakerState = closedBreaker(0);
  let now = 0;
  let draw = seed;
  const random = () => {
    draw = (draw * 16_807 + 11) % 2_147_483_647;
    return draw / 2_147_483_647;
  };
  const granted: string[] = [];
  for (const [index, action] of script.entries()) {
    if (action.type === "wait") {
      now += action.ms;
      continue;
    }
    const event: BreakerEvent =
      action.type === "claim"
        ? { type: "claim", probeId: `p${index}` }
        : {
            type: "report",
            outcome: action.trip ? "failure" : action.outcome,
            probeId: granted.at(-1 - action.of),
            retryAfterMs: action.retryAfterMs,
            trip: action.trip,
          };
    const before = state;
    state = nextBreaker(before, event, now, settings, random);
    if (event.type === "claim" && holdsProbe(state, event.probeId)) granted.push(event.probeId);
    look({ before, after: state, event, now });
  }
  return { state, now };
}

const check = (look: () => (moment: Moment) => void) =>
  fc.assert(
    fc.property(steps, fc.nat(1_000_000), (script, seed) => {
      run(script, seed, look());
    }),
    { numRuns: 1_000 },
  );

describe("under any sequence of events", () => {
  it("G093, G094: never has two probes in flight", () => {
    check(() => {
      const inFlight = new Map<string, number>();
      return ({ before, after, event, now }) => {
        if (event.type === "report" && event.probeId !== undefined) inFlight.delete(event.probeId);
        // Refused at the account meanwhile: whatever probe is out there has lost its say, and a cool-down follows.
        if (before.status === "half_open" && after.status === "open") inFlight.clear();
        if (event.type !== "claim" || !holdsProbe(after, event.probeId)) return;
        for (const [id, lapsesAt] of inFlight) if (lapsesAt <= now) inFlight.delete(id);
        expect([...inFlight.keys()]).toEqual([]);
        inFlight.set(event.probeId, now + settings.probeTtlMs);
      };
    });
  });

  it("G090, G091: never takes neutral for success or failure", () => {
    check(() => ({ before, after, event }) => {
      if (event.type !== "report" || event.outcome !== "neutral") return;
      const handedBack =
        before.status === "half_open" && before.probe?.id === event.probeId && event.probeId !== undefined;
      if (handedBack) expect(after).toEqual({ status: "half_open", timesOpened: before.timesOpened });
      else expect(after).toBe(before);
    });
  });

  it("grants nobody a probe before the Retry-After of any failure it opened or stayed open on", () => {
    check(() => {
      let notBefore = 0;
      return ({ after, event, now }) => {
        if (event.type === "claim") {
          if (holdsProbe(after, event.probeId)) expect(now).toBeGreaterThanOrEqual(notBefore);
          return;
        }
        if (after.status === "closed") notBefore = 0;
        if (event.outcome !== "failure" || after.status !== "open" || event.retryAfterMs === undefined) return;
        if (Number.isNaN(event.retryAfterMs)) return;
        const wait = Math.min(event.retryAfterMs, LONGEST_RETRY_AFTER_MS);
        notBefore = Math.max(notBefore, now + wait);
      };
    });
  });

  it("opens exactly when failures in a row or the failure rate of a naive count say so", () => {
    check(() => {
      let inARow = 0;
      return ({ before, after, event, now }) => {
        if (before.status !== "closed" || event.type !== "report" || event.outcome === "neutral") return;
        inARow = event.outcome === "success" ? 0 : before.consecutiveFailures + 1;
        const past = windowAt(before.window, now, settings.windowMs);
        const failures = past.failures + (event.outcome === "failure" ? 1 : 0);
        const calls = past.failures + past.successes + 1;
        const rate = calls >= settings.minimumCalls && failures / calls >= settings.failureRate;
        const opens =
          event.outcome === "failure" && (event.trip === true || inARow >= settings.consecutiveFailures || rate);
        expect(after.status).toBe(opens ? "open" : "closed");
      };
    });
  });

  it("closes only by the success of the probe it granted", () => {
    check(() => ({ before, after, event }) => {
      if (before.status === "closed" || after.status !== "closed") return;
      expect(before.status).toBe("half_open");
      expect(event).toMatchObject({ type: "report", outcome: "success" });
      expect(event.type === "report" && holdsProbe(before, event.probeId ?? "")).toBe(true);
    });
  });

  it("can always be left: wherever it stands, waiting and one good probe close it", () => {
    fc.assert(
      fc.property(steps, fc.nat(1_000_000), (script, seed) => {
        const { state, now } = run(script, seed, () => undefined);
        const later = now + LONGEST_RETRY_AFTER_MS + settings.probeTtlMs;
        const claimed = nextBreaker(state, { type: "claim", probeId: "last" }, later, settings, () => 0);
        const report = { type: "report", outcome: "success", probeId: "last" } as const;
        expect(nextBreaker(claimed, report, later, settings, () => 0).status).toBe("closed");
      }),
      { numRuns: 1_000 },
    );
  });

  it("survives storage: every state is plain JSON", () => {
    check(
      () =>
        ({ after }) =>
          expect(JSON.parse(JSON.stringify(after))).toEqual(after),
    );
  });
});
