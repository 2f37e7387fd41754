import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { displayKey, hashKey, isWellFormedKey, keyFrom } from "../../../src/identity/key.ts";

const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 });

describe("a key", () => {
  it("has its shape whatever the bytes, is well formed, and differs for different bytes", () => {
    fc.assert(
      fc.property(bytes, bytes, (a, b) => {
        const key = keyFrom(a);
        expect(key).toMatch(/^rig_sk_[0-9A-Za-z]{49}$/);
        expect(isWellFormedKey(key)).toBe(true);
        expect(keyFrom(b) === key).toBe(Buffer.from(a).equals(Buffer.from(b)));
      }),
    );
    expect(() => keyFrom(new Uint8Array(16))).toThrow(RangeError);
  });

  it("with one character wrong, two swapped, one missing or one more is told apart without asking", () => {
    const other = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".split("");
    fc.assert(
      fc.property(bytes, fc.integer({ min: 7, max: 54 }), fc.constantFrom(...other), (random, at, character) => {
        const key = keyFrom(random);
        const replaced = key.slice(0, at) + character + key.slice(at + 1);
        expect(isWellFormedKey(replaced)).toBe(replaced === key);
        const swapped = key.slice(0, at) + (key[at + 1] ?? "") + (key[at] ?? "") + key.slice(at + 2);
        expect(isWellFormedKey(swapped)).toBe(swapped === key);
        expect(isWellFormedKey(key.slice(0, at) + key.slice(at + 1))).toBe(false);
        expect(isWellFormedKey(key.slice(0, at) + character + key.slice(at))).toBe(false);
      }),
    );
    for (const wrong of ["", "rig_sk_", "sk-proj-abc", ` ${keyFrom(randomBytes(32))}`])
      expect(isWellFormedKey(wrong)).toBe(false);
  });

  it("is stored as its SHA-256", async () => {
    expect(await hashKey("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  });

  it("is shown by its last three characters", () => {
    const key = keyFrom(randomBytes(32));
    expect(displayKey(key)).toBe(`rig_sk_…${key.slice(-3)}`);
  });
});
