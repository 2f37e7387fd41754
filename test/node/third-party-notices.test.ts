import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Metafile } from "esbuild";
import { expect, test } from "vitest";
import { bundledPackages, thirdPartyNotices } from "../../scripts/third-party-notices.ts";

const worker = fileURLToPath(new URL("../../dist/worker/", import.meta.url));
const built = JSON.parse(readFileSync(join(worker, "meta.json"), "utf8")) as Metafile;

function packageWith(manifest: object, files: Readonly<Record<string, string>> = {}): string {
  const root = mkdtempSync(join(tmpdir(), "modelrig-notices-"));
  const folder = join(root, "node_modules", "some-package");
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries({ "package.json": JSON.stringify(manifest), ...files })) {
    writeFileSync(join(folder, name), text);
  }
  return root;
}

test("the built Worker comes with a copyright line and a licence for each package in it", () => {
  const sections = readFileSync(join(worker, "THIRD_PARTY_NOTICES.txt"), "utf8")
    .split(`\n${"-".repeat(80)}\n`)
    .slice(1);
  const packages = bundledPackages(built);
  expect(packages.length).toBeGreaterThan(10);
  expect(sections.map((section) => section.split(" ")[0])).toEqual(
    packages.map((folder) => folder.replace(/^.*node_modules\//, "")),
  );
  for (const section of sections) {
    expect(section).toMatch(/copyright/i);
    expect(section).toMatch(/permission|redistribution|apache license/i);
  }
});

test("a package's own licence and notice are taken word for word", () => {
  const root = packageWith({ version: "1.0.0", license: "MIT" }, { LICENSE: "Copyright A", NOTICE: "made by B" });
  const text = thirdPartyNotices(root, ["node_modules/some-package"]);
  expect(text).toContain("some-package 1.0.0 (MIT)");
  expect(text).toContain("Copyright A\nmade by B");
});

test.each([
  [{ version: "1.0.0", license: "GPL-3.0" }, "decide whether it may be bundled"],
  [{ version: "1.0.0" }, "under none"],
  [{ version: "1.0.0", license: "BSD-3-Clause" }, "ships no text"],
])("the build fails for %j", (manifest, message) => {
  expect(() => thirdPartyNotices(packageWith(manifest), ["node_modules/some-package"])).toThrow(message);
});
