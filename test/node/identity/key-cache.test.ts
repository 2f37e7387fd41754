import { randomBytes } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { hashKey, keyFrom } from "../../../src/identity/key.ts";
import { KeyCache } from "../../../src/identity/key-cache.ts";
import type { Principal } from "../../../src/identity/principal.ts";

const principal: Principal = { org: "org_a", orgSlug: "a", keyId: "key_1", scopes: ["call"], fixedTags: {} };

let now = 0;
let lookups: string[] = [];
let known = new Map<string, Principal>();
let away = false;
const lookup = {
  findByHash: async (hash: string) => {
    lookups.push(hash);
    await Promise.resolve();
    if (away) throw new Error("the database is away");
    return known.get(hash);
  },
};

async function newKey(fields: Partial<Principal> = {}): Promise<string> {
  const key = keyFrom(randomBytes(32));
  known.set(await hashKey(key), { ...principal, ...fields });
  return key;
}

beforeEach(() => {
  now = 1_000_000;
  lookups = [];
  known = new Map();
  away = false;
});

describe("the key cache", () => {
  it("believes a known key for five minutes more while lookups fail, and asks only now and then", async () => {
    const cache = new KeyCache(lookup, () => now);
    const key = await newKey();
    await cache.find(key);
    away = true;
    now += 31_000;
    expect(await cache.find(key)).toMatchObject({ keyId: "key_1" });
    expect(await cache.find(key)).toMatchObject({ keyId: "key_1" });
    expect(lookups).toHaveLength(2);
    now += 300_000;
    await expect(cache.find(key)).rejects.toThrow("away");
  });

  it("lets a revocation take effect with the first lookup that succeeds", async () => {
    const cache = new KeyCache(lookup, () => now);
    const key = await newKey();
    await cache.find(key);
    away = true;
    now += 31_000;
    await cache.find(key);
    away = false;
    known.clear();
    now += 5_000;
    expect(await cache.find(key)).toBeUndefined();
  });

  it("asks once for a key within 30 seconds, and again after", async () => {
    const cache = new KeyCache(lookup, () => now);
    const key = await newKey();
    expect(await cache.find(key)).toMatchObject({ keyId: "key_1" });
    now += 29_999;
    expect(await cache.find(key)).toMatchObject({ keyId: "key_1" });
    expect(lookups).toHaveLength(1);
    now += 1;
    known.clear();
    expect(await cache.find(key)).toBeUndefined();
    expect(lookups).toHaveLength(2);
  });

  it("asks once when many calls come at the same time", async () => {
    const cache = new KeyCache(lookup, () => now);
    const key = await newKey();
    const found = await Promise.all(Array.from({ length: 50 }, () => cache.find(key)));
    expect(found.every((one) => one?.keyId === "key_1")).toBe(true);
    expect(lookups).toHaveLength(1);
  });

  it("remembers an unknown key for 5 seconds only, so that a new key works soon", async () => {
    const cache = new KeyCache(lookup, () => now);
    const key = keyFrom(randomBytes(32));
    for (let again = 0; again < 3; again += 1) expect(await cache.find(key)).toBeUndefined();
    expect(lookups).toHaveLength(1);
    known.set(await hashKey(key), principal);
    now += 5_000;
    expect(await cache.find(key)).toMatchObject({ keyId: "key_1" });
  });

  it("never asks for what is not a key", async () => {
    const cache = new KeyCache(lookup, () => now);
    for (const word of ["", "sk-abc", "rig_sk_typo", `${await newKey()}x`])
      expect(await cache.find(word)).toBeUndefined();
    expect(lookups).toHaveLength(0);
  });

  it("refuses a key the moment it expires, cached or not", async () => {
    const cache = new KeyCache(lookup, () => now);
    const key = await newKey({ expiresAt: now + 10 });
    expect(await cache.find(key)).toBeDefined();
    now += 10;
    expect(await cache.find(key)).toBeUndefined();
    expect(lookups).toHaveLength(1);
  });

  it("passes a failed lookup on and does not remember it", async () => {
    const cache = new KeyCache(lookup, () => now);
    const key = await newKey();
    away = true;
    await expect(cache.find(key)).rejects.toThrow("away");
    away = false;
    expect(await cache.find(key)).toBeDefined();
  });

  it("holds no more than its capacity, the keys in use stay, and wrong keys push none of them out", async () => {
    const cache = new KeyCache(lookup, () => now, { capacity: 3 });
    const [a, b, c, d] = [await newKey(), await newKey(), await newKey(), await newKey()];
    for (const key of [a, b, c, a, d]) await cache.find(key);
    for (let wrong = 0; wrong < 20; wrong += 1) await cache.find(keyFrom(randomBytes(32)));
    lookups = [];
    for (const key of [a, c, d]) await cache.find(key);
    expect(lookups).toEqual([]);
    await cache.find(b);
    expect(lookups).toEqual([await hashKey(b)]);
  });
});
