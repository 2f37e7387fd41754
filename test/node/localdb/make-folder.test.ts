import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeFolder } from "../../../src/localdb/make-folder.ts";

describe("a folder", () => {
  it("is made with those above it, and may be there already", () => {
    const home = mkdtempSync(join(tmpdir(), "modelrig-folder-"));
    for (let again = 0; again < 2; again += 1) makeFolder(join(home, "a", "b"));
    expect(existsSync(join(home, "a", "b"))).toBe(true);
    writeFileSync(join(home, "file"), "");
    expect(() => makeFolder(join(home, "file", "c"))).toThrow(/EEXIST|ENOTDIR/);
    rmSync(home, { recursive: true });
  });

  it.skipIf(!existsSync("/proc/self"))("is refused where the file system takes none, and does not hang", () => {
    expect(() => makeFolder("/proc/nowhere/.modelrig")).toThrow("ENOENT");
    expect(() => makeFolder("/proc/.modelrig")).toThrow("ENOENT");
  });
});
