import { describe, expect, test } from "vitest";
import { LivePins } from "../../../workers/isolate/live-pins.ts";

/** Pins whose source, clock and background are in the test's hands. */
function pins(initial: Readonly<Record<string, string>>) {
  const state = { now: 1_000_000, asked: 0, variants: initial, away: false, errors: 0 };
  const background: Promise<unknown>[] = [];
  const live = new LivePins(
    {
      async current() {
        state.asked += 1;
        if (state.away) throw new Error("away");
        return Object.entries(state.variants).map(([route, variant]) => ({ route, variant }));
      },
    },
    () => state.now,
    () => {
      state.errors += 1;
    },
  );
  const variant = (route = "a") => live.variant("org_1", route, (work) => void background.push(work));
  return { state, variant, settled: () => Promise.all(background.splice(0)) };
}

describe("live pins", () => {
  test("are waited for by the first call of an isolate, so that it is served as pinned", async () => {
    const { variant } = pins({ a: "cheap" });
    expect(await variant()).toBe("cheap");
    expect(await variant("b")).toBeUndefined();
  });

  test("are then answered at once, without asking", async () => {
    const { state, variant } = pins({ a: "cheap" });
    await variant();
    state.now += 14_000;
    expect(variant()).toBe("cheap");
    expect(state.asked).toBe(1);
  });

  test("take effect within thirty seconds of a change, beside calls that do not wait for it", async () => {
    const { state, variant, settled } = pins({ a: "cheap" });
    await variant();
    state.variants = { a: "loud" };
    state.now += 16_000;
    expect(variant()).toBe("cheap");
    await settled();
    expect(variant()).toBe("loud");
  });

  test("are waited for again after a long silence", async () => {
    const { state, variant } = pins({ a: "cheap" });
    await variant();
    state.variants = {};
    state.now += 30_001;
    expect(await variant()).toBeUndefined();
  });

  test("hold as last known while the database is away, and only one call waits to find out", async () => {
    const { state, variant, settled } = pins({ a: "cheap" });
    await variant();
    state.away = true;
    state.now += 60_000;
    expect(await variant()).toBe("cheap");
    await settled();
    expect(variant()).toBe("cheap");
    expect(state.errors).toBeGreaterThan(0);
  });

  test("are asked for once, however many calls are waiting", async () => {
    const { state, variant } = pins({ a: "cheap" });
    expect(await Promise.all([variant(), variant(), variant()])).toEqual(["cheap", "cheap", "cheap"]);
    expect(state.asked).toBe(1);
  });
});
