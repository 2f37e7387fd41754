import { describe, expect, it } from "vitest";
import { nearReadings } from "../../../src/json/repair/near-readings.ts";
import { repairJson } from "../../../src/json/repair/repair.ts";

const near = (text: string) => nearReadings(text).map(({ canonical }) => canonical);

describe("what a text may have been before one mark of it was damaged", () => {
  it("is one reading where the structure leaves one place for the mark", () => {
    expect(near('[{"i":1,{"i":2}]')).toEqual(['[{"i":1},{"i":2}]']);
    expect(near('{"a":[1,2,"b":3}')).toEqual(['{"a":[1,2],"b":3}']);
  });

  it("is several where a quote left out may stand in several places", () => {
    expect(near('["#1,349,"x"]')).toEqual(expect.arrayContaining(['["#1",349,"x"]', '["#1,349","x"]']));
  });

  it("is none for JSON, and none where more than one mark is damaged", () => {
    expect(near('{"a":1}')).toEqual([]);
    expect(near("{a:1,b:2}")).toEqual([]);
  });

  it("stays within its limit on a long text", () => {
    const long = `{"a":[${'{"b":"c"},'.repeat(20_000)}1,"d":2}`;
    expect(near(long).length).toBeLessThanOrEqual(1);
  });
});

describe("a text that is near to two readings", () => {
  const text = '{"id":[["1,true,"x"]]}';
  const schemaOf = (items: unknown[]) => ({
    properties: { id: { items: { prefixItems: items, minItems: items.length, items: false } } },
  });

  it("is refused where no schema decides", () => {
    expect(repairJson(text)).toMatchObject({ ok: false, error: { reason: "unparseable" } });
  });

  it("is read as the one that the schema accepts", () => {
    const three = schemaOf([{ type: "string" }, { type: "boolean" }, { type: "string" }]);
    expect(repairJson(text, { schema: three })).toMatchObject({ value: { value: { id: [["1", true, "x"]] } } });
  });

  it("is refused where the schema accepts both", () => {
    expect(repairJson(text, { schema: {} }).ok).toBe(false);
  });
});
