import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { bodyText, Tee } from "../../../src/capture/tee.ts";

const packers = { gzip: gzipSync, br: brotliCompressSync, deflate: deflateSync, zstd: zstdCompressSync };

describe("a copied body", () => {
  it.each(Object.entries(packers))("packed as %s is read", async (encoding, pack) => {
    expect(await bodyText(pack("text"), encoding)).toBe("text");
  });

  it.each(Object.entries(packers))(
    "that unpacks to more than anyone sends is not unpacked: %s",
    async (encoding, pack) => {
      const bomb = pack(Buffer.alloc(65 * 1024 * 1024));
      expect(bomb.length).toBeLessThan(100_000);
      await expect(bodyText(bomb, encoding)).rejects.toThrow(/larger than/);
    },
  );

  it("is dropped as a whole beyond its limit", () => {
    const tee = new Tee(3);
    tee.add(Buffer.from("ab"));
    expect(tee.bytes()?.toString()).toBe("ab");
    tee.add(Buffer.from("cd"));
    expect(tee.bytes()).toBeUndefined();
  });
});
