import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Keyring, readKeyring } from "../../../src/custody/keyring.ts";
import { openSealed, type SealedPlace, sealText } from "../../../src/custody/sealed-text.ts";

const secretOf = (byte: number, length = 32): string => Buffer.alloc(length, byte).toString("base64");
async function keyring(...secrets: readonly string[]): Promise<Keyring> {
  const read = await readKeyring(secrets.join(","));
  if (!read.ok) throw new Error(read.error.message);
  return read.value;
}
const place: SealedPlace = { kind: "response", org: "org_a", id: "inf_1" };

describe("the secret", () => {
  it.each([
    ["nothing", undefined, "store_key_missing"],
    ["an empty text", "  ", "store_key_missing"],
    ["a password", "correct horse battery staple", "store_key_invalid"],
    ["too few bytes in base64", secretOf(1, 31), "store_key_invalid"],
    ["too few bytes in hexadecimal", "ab".repeat(31), "store_key_invalid"],
    ["a bad key after a good one", `${secretOf(1)},x`, "store_key_invalid"],
  ])("is refused where it is %s, with the command that sets it and nothing of itself", async (_, secret, code) => {
    const read = await readKeyring(secret);
    if (read.ok) throw new Error("it was accepted");
    expect(read.error).toMatchObject({ class: "server_error", code, final: true });
    expect(read.error.message).toContain("wrangler secret put MODELRIG_STORE_KEY");
    for (const word of (secret ?? "").split(/[\s,]+/).filter((part) => part.length > 2))
      expect(read.error.message).not.toContain(word);
  });

  it("is the same key in base64, base64url and hexadecimal", async () => {
    const bytes = Buffer.from(Array.from({ length: 32 }, (_, index) => 255 - index));
    const rings = await Promise.all((["base64", "base64url", "hex"] as const).map((as) => keyring(bytes.toString(as))));
    expect(new Set(rings.map(({ newest }) => newest.id)).size).toBe(1);
  });
});

describe("a sealed text", () => {
  it("opens in its place with its key, whatever it says, and shows nothing of it", async () => {
    const ring = await keyring(secretOf(7));
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary", minLength: 8, maxLength: 30_000 }), async (text) => {
        const sealed = await sealText(text, place, ring);
        expect(await openSealed(sealed, place, ring)).toEqual({ ok: true, value: text.toWellFormed() });
        expect(Buffer.from(sealed.text, "base64").includes(Buffer.from(text))).toBe(false);
      }),
      { numRuns: 50 },
    );
  });

  it("is another one each time", async () => {
    const ring = await keyring(secretOf(7));
    const sealed = await Promise.all(Array.from({ length: 20 }, () => sealText("same", place, ring)));
    expect(new Set(sealed.map(({ text }) => text)).size).toBe(20);
  });

  it.each<[string, Partial<SealedPlace>]>([
    ["org", { org: "org_b" }],
    ["id", { id: "inf_2" }],
  ])("cannot be opened under another %s", async (_, other) => {
    const ring = await keyring(secretOf(7));
    const sealed = await sealText("private", place, ring);
    const opened = await openSealed(sealed, { ...place, ...other }, ring);
    expect(opened).toMatchObject({ ok: false, error: { code: "sealed_text_invalid" } });
  });

  it("cannot be opened after any change of it", async () => {
    const ring = await keyring(secretOf(7));
    const sealed = await sealText("private", place, ring);
    const bytes = Buffer.from(sealed.text, "base64");
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      const opened = await openSealed({ ...sealed, text: changed.toString("base64") }, place, ring);
      expect(opened, `byte ${at}`).toMatchObject({ ok: false, error: { code: "sealed_text_invalid" } });
    }
    for (const text of ["", "AAAA", "not base64!"])
      expect(await openSealed({ ...sealed, text }, place, ring)).toMatchObject({ ok: false });
  });

  it("opens after a rotation that keeps the old key, and names the missing key where it was left out", async () => {
    const sealed = await sealText("private", place, await keyring(secretOf(1)));
    const rotated = await keyring(secretOf(2), secretOf(1));
    expect(await openSealed(sealed, place, rotated)).toEqual({ ok: true, value: "private" });
    expect((await sealText("new", place, rotated)).key).toBe((await keyring(secretOf(2))).newest.id);
    const opened = await openSealed(sealed, place, await keyring(secretOf(2)));
    if (opened.ok) throw new Error("it was opened without its key");
    expect(opened.error).toMatchObject({ class: "server_error", code: "store_key_unknown", final: true });
    expect(opened.error.message).toContain(sealed.key);
  });
});
