import { describe, expect, it } from "vitest";
import { riskyPattern } from "../../../src/json/pattern/risky-pattern.ts";

describe("a pattern that could run for ever", () => {
  it.each(["^(a+)+$", "(a*)*", "((ab)+c?)+", "(x{2,})+", "^(?:\\w+\\s?)*$", "([a-z]+)*!"])(
    "is found: %s",
    (pattern) => {
      expect(riskyPattern({ properties: { deep: { items: [{ pattern }] } } })).toBe(pattern);
      expect(riskyPattern({ patternProperties: { [pattern]: {} } })).toBe(pattern);
    },
  );

  it.each([
    "^[0-9.]+%$",
    "^(foo|bar)*$",
    "^[(a+)+]$",
    "\\(a+\\)+",
    "^(\\d{3}-)?\\d{4}$",
    "^[A-Z]{2,4}$",
    "(ab){1,3}c+",
  ])("is not seen in an ordinary one: %s", (pattern) => {
    expect(riskyPattern({ pattern })).toBeUndefined();
  });
});
