import { describe, expect, it } from "vitest";
import { type CapabilityRow, fromRow, registryDocument, registryOf, toRow } from "../../../src/registry/record.ts";
import { measuredCapabilities, satisfies, supported } from "../../../src/registry/satisfies.ts";
import { wilson } from "../../../src/stats/wilson.ts";

const row = (fields: Partial<CapabilityRow> = {}): CapabilityRow => ({
  provider: "acme",
  model: "small",
  capability: "native_strict",
  n: 40,
  passed: 40,
  measured_at: "2026-11-01T00:00:00.000Z",
  cost_usd: "0.012000000",
  simulated: false,
  method: "probe-v1",
  ...fields,
});
const measured = (fields: Partial<CapabilityRow>) => fromRow(row(fields));

describe("a measurement settles a capability", () => {
  it.each([
    ["yes, where the whole interval lies above the share that counts", 40, 40, true],
    ["no, where it lies below", 10, 40, false],
    ["not at all, where too few were asked", 20, 20, undefined],
    ["not at all, where it straddles", 36, 40, undefined],
  ])("%s", (_, passed, n, verdict) => {
    expect(supported(measured({ passed, n }))).toBe(verdict);
  });

  it("and lies over what is declared only then", () => {
    expect(measuredCapabilities([measured({ passed: 20, n: 20 })])).toEqual({});
    expect(measuredCapabilities([measured({ passed: 5 }), measured({ capability: "tools" })])).toEqual({
      native_strict: false,
      tools: true,
    });
  });

  it("coached conformance meets the predicate where no rung is enforced", () => {
    const able = [measured({ capability: "coached" })];
    expect(satisfies("schema_conformant", {}, able)).toBe(true);
    expect(satisfies("schema_conformant", {}, [measured({ capability: "coached", passed: 20 })])).toBe(false);
  });
});

describe("the registry", () => {
  it("answers the newest measurement of each capability, in whatever order they came", () => {
    const old = measured({ passed: 1, measured_at: "2026-10-01T00:00:00.000Z" });
    const fresh = measured({});
    for (const rows of [
      [old, fresh],
      [fresh, old],
    ]) {
      expect(registryOf(rows).find("acme", "small")).toEqual([fresh]);
    }
    expect(registryOf([fresh]).find("acme", "large")).toEqual([]);
  });

  it("works intervals out of the counts, and takes no sender's word for them", () => {
    const { low, high } = fromRow(row({ passed: 10, low: 0.99, high: 1 }));
    expect({ low, high }).toEqual(wilson(10, 40));
  });

  it("travels as a document and comes back the same", () => {
    const rows = [measured({}), measured({ model: "large", cost_usd: undefined, simulated: true })];
    const text = JSON.stringify({ schema: "modelrig.registry/1", capabilities: rows.map(toRow) });
    expect(registryDocument.parse(JSON.parse(text)).capabilities.map(fromRow)).toEqual(rows);
  });

  it.each([
    ["more passed than sent", { passed: 41 }],
    ["nothing sent", { n: 0, passed: 0 }],
    ["a model id that could not stand in a table", { model: "a b" }],
    ["a capability nobody probes", { capability: "charm" as "tools" }],
  ])("refuses %s", (_, fields) => {
    expect(registryDocument.safeParse({ schema: "modelrig.registry/1", capabilities: [row(fields)] }).success).toBe(
      false,
    );
  });
});
