/** The packages as they are published, built into a folder of their own, beside a project that depends on them. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../..", import.meta.url));

export interface PublishedPackage {
  /** The package `modelrig`. */
  readonly folder: string;
  /** The package `modelrig-sdk`. */
  readonly sdk: string;
  /** Has `modelrig`, `modelrig-sdk` and `@types` in its `node_modules`. */
  readonly consumer: string;
  remove(): void;
}

export function publishedPackage(): PublishedPackage {
  const home = mkdtempSync(join(tmpdir(), "modelrig-package-"));
  execFileSync(process.execPath, [join(root, "scripts/build-package.ts"), "--out", home], { cwd: root });
  const [folder, sdk, consumer] = [join(home, "modelrig"), join(home, "modelrig-sdk"), join(home, "consumer")];
  const link = (from: string, to: string): void => {
    mkdirSync(dirname(to), { recursive: true });
    symlinkSync(from, to);
  };
  link(join(root, "node_modules"), join(folder, "node_modules"));
  link(sdk, join(home, "node_modules", "modelrig-sdk"));
  link(folder, join(home, "node_modules", "modelrig"));
  for (const [name, at] of [
    ["modelrig", folder],
    ["modelrig-sdk", sdk],
    ["@types", join(root, "node_modules", "@types")],
    ["undici-types", join(root, "node_modules", "undici-types")],
  ] as const)
    link(at, join(consumer, "node_modules", name));
  return { folder, sdk, consumer, remove: () => rmSync(home, { recursive: true, force: true }) };
}

/** A Node of the oldest version that the SDK runs on, where this machine has one. */
export function node20(): string | undefined {
  const candidates = ["/usr/local/bin/node", "/usr/bin/node", process.env["NODE20"] ?? ""];
  return candidates.find(
    (path) => path !== "" && existsSync(path) && /^v20\./.test(execFileSync(path, ["--version"], { encoding: "utf8" })),
  );
}
