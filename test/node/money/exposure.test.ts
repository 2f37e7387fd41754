import { describe, expect, it } from "vitest";
import { billOf, type Exposure } from "../../../src/money/exposure.ts";
import type { Usage } from "../../../src/money/usage.ts";
import { PRICE } from "../../support/engine/engine.ts";

const usage = (input: number, output: number, more: Partial<Usage> = {}): Usage => ({
  input: { total: input, uncached: input },
  output: { total: output },
  estimated: false,
  raw: undefined,
  ...more,
});

const bill = (exposure: Exposure) => billOf(exposure, PRICE, "standard");

describe("what a provider may bill", () => {
  it("is nothing for a request that never left, and for one that it refused", () => {
    expect(bill({ type: "unsent" })).toEqual({ type: "none" });
    expect(bill({ type: "refused" })).toEqual({ type: "none" });
  });

  it("is what a refusal itself reports", () => {
    expect(bill({ type: "refused", usage: usage(10, 0) })).toMatchObject({ type: "known", cost: 10_000 });
  });

  it("is unknown for an answer that was lost, whatever was reported on the way", () => {
    expect(bill({ type: "lost" }).type).toBe("unknown");
    expect(bill({ type: "lost", usage: usage(10, 1) }).type).toBe("unknown");
  });

  it("is at least what was reported before an answer was lost", () => {
    expect(bill({ type: "lost", usage: usage(10, 5) })).toMatchObject({ type: "unknown", atLeast: 20_000 });
    expect(bill({ type: "lost", usage: usage(10, 5, { reportedUsd: 1e6 }) })).not.toHaveProperty("atLeast", 20_000);
  });

  it.each([1e4 + 0.01, 5e6, 1e300, Infinity])("is unknown, and flagged, for a total of %d dollars", (usd) => {
    const told = bill({ type: "answered", usage: usage(10, 5, { reportedUsd: usd }), hasContent: true });
    expect(told).toMatchObject({ type: "unknown", usage: { inconsistent: true } });
  });

  it.each([1e11, 1e300])("is unknown for %d tokens, which no request has", (tokens) => {
    expect(bill({ type: "answered", usage: usage(10, tokens), hasContent: true }).type).toBe("unknown");
  });

  it("is the reported usage of a whole answer, and unknown without any", () => {
    expect(bill({ type: "answered", usage: usage(10, 5), hasContent: true })).toMatchObject({ cost: 20_000 });
    expect(bill({ type: "answered", usage: undefined, hasContent: true }).type).toBe("unknown");
  });

  it("is what a stopped stream brought, by our own count, where the provider stops billing", () => {
    const stopped = bill({ type: "stopped", usage: undefined, requestBytes: 30, streamedBytes: 30 });
    expect(stopped).toMatchObject({ type: "known", cost: 30_000, usage: { estimated: true } });
  });

  it.each([
    ["nothing at all", usage(0, 0)],
    ["no output", usage(10, 0)],
    ["no input", usage(0, 5)],
  ])("is unknown, and flagged, where an answer with content reports %s", (_what, figures) => {
    const denied = bill({ type: "answered", usage: figures, hasContent: true });
    expect(denied).toMatchObject({ type: "unknown", usage: { inconsistent: true } });
  });

  it("follows the provider's own total within ten times of its price", () => {
    const reported = (usd: number) =>
      bill({ type: "answered", usage: usage(10, 5, { reportedUsd: usd }), hasContent: true });
    // By its price 0.00002 USD.
    expect(reported(0.00001)).toMatchObject({ cost: 10_000 });
    expect(reported(0.0001)).toMatchObject({ cost: 100_000 });
    expect(reported(1e-9)).toMatchObject({ cost: 20_000, usage: { inconsistent: true } });
    expect(reported(0)).toMatchObject({ cost: 20_000 });
    expect(reported(0.5)).toMatchObject({ cost: 500_000_000, usage: { inconsistent: true } });
  });
});
