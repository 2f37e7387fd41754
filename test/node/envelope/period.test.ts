import { describe, expect, it } from "vitest";
import { ENVELOPE_SCOPES } from "../../../src/envelope/envelope.ts";
import { claimsFor, envelopeClaim } from "../../../src/envelope/period.ts";
import { nanoUsd } from "../../../src/money/nano-usd.ts";

const usd = nanoUsd;
const now = Date.UTC(2026, 10, 29, 23, 59, 59, 999);
const day = Date.UTC(2026, 10, 30);
const month = Date.UTC(2026, 11, 1);

describe("the claims of a call", () => {
  it("name every limit that covers it, with its UTC period and the period's end", () => {
    const limits = {
      route: { name: "example.a", perRun: usd(1), perDay: usd(2), perMonth: usd(3) },
      key: { id: "key_1", perMonth: usd(4) },
      orgPerMonth: usd(5),
      run: "run_7",
    };
    expect(claimsFor(limits, now)).toEqual([
      { scope: "run", id: "run:example.a:run_7", limit: 1, resetsAt: undefined },
      { scope: "route-day", id: "route-day:example.a:2026-11-29", limit: 2, resetsAt: day },
      { scope: "route-month", id: "route-month:example.a:2026-11", limit: 3, resetsAt: month },
      { scope: "key-month", id: "key-month:key_1:2026-11", limit: 4, resetsAt: month },
      { scope: "org-month", id: "org-month:2026-11", limit: 5, resetsAt: month },
    ]);
  });

  it("are none where no limit is declared, so that the call pays no round trip", () => {
    expect(claimsFor({ route: { name: "example.a" }, key: { id: "key_1" }, run: "run_7" }, now)).toEqual([]);
  });

  it("leave out the run's limit for a call outside any run", () => {
    expect(claimsFor({ route: { name: "example.a", perRun: usd(1) } }, now)).toEqual([]);
  });

  it("keep a limit of zero: it closes the route", () => {
    expect(claimsFor({ route: { name: "example.a", perDay: usd(0) } }, now)).toHaveLength(1);
  });

  it("cannot be steered into another envelope by the name of a run", () => {
    const route = { name: "a", perRun: usd(1) };
    const ids = ["x:y", "x%3Ay", "", "\ud800"].map((run) => claimsFor({ route, run }, now)[0]?.id);
    expect(ids).toEqual(["run:a:x%3Ay", "run:a:x%253Ay", "run:a:", "run:a:%EF%BF%BD"]);
  });
});

describe("periods", () => {
  const resets = (at: number, scope: "route-day" | "route-month") => {
    return envelopeClaim(scope, ["a"], usd(1), at).resetsAt;
  };

  it("turn at midnight UTC, over the ends of months, leap days and years", () => {
    expect(resets(Date.UTC(2028, 1, 28, 12), "route-day")).toBe(Date.UTC(2028, 1, 29));
    expect(resets(Date.UTC(2028, 1, 29), "route-day")).toBe(Date.UTC(2028, 2, 1));
    expect(resets(Date.UTC(2026, 11, 31, 23), "route-month")).toBe(Date.UTC(2027, 0, 1));
  });

  it("belong to the scopes that are named after one, and to no other", () => {
    const periodic = ENVELOPE_SCOPES.filter((scope) => envelopeClaim(scope, [], usd(1), now).resetsAt !== undefined);
    expect(periodic).toEqual([
      "route-day",
      "route-month",
      "key-month",
      "org-month",
      "judge-day",
      "watch-month",
      "optimize-month",
    ]);
  });
});
