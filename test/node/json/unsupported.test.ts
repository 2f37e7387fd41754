import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { findUnsupported, UNSUPPORTED_FORMATS, UNSUPPORTED_KEYWORDS } from "../../../src/json/schema/unsupported.ts";

describe("what a validator would not check", () => {
  it("is found wherever it stands, with its reason", () => {
    const schema = {
      properties: { a: { contentEncoding: "base64" }, b: { items: { format: "iri" } } },
      $defs: { c: { $dynamicAnchor: "c" } },
    };
    const found = findUnsupported(schema);
    expect(found.map(({ pointer }) => pointer).sort()).toEqual([
      "/$defs/c/$dynamicAnchor",
      "/properties/a/contentEncoding",
      "/properties/b/items/format",
    ]);
    for (const { why } of found) expect(why.length).toBeGreaterThan(10);
  });

  it("is not a property of that name, nor a value", () => {
    expect(findUnsupported({ properties: { nullable: { type: "boolean" } }, default: { $vocabulary: 1 } })).toEqual([]);
  });

  it("is not a format outside the standard, which is a note", () => {
    expect(findUnsupported({ format: "int32" })).toEqual([]);
  });

  it("is listed in the documentation, every keyword and format", () => {
    const page = readFileSync(new URL("../../../docs/json-schema.md", import.meta.url), "utf8");
    for (const name of [...Object.keys(UNSUPPORTED_KEYWORDS), ...UNSUPPORTED_FORMATS])
      expect(page).toContain(`\`${name}\``);
  });
});
