/** The package as it is published, built into a folder of its own, beside a project that depends on it. */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

export interface PublishedPackage {
  readonly folder: string;
  /** Has `node_modules/modelrig` and `node_modules/@types`. */
  readonly consumer: string;
  remove(): void;
}

export function publishedPackage(): PublishedPackage {
  const home = mkdtempSync(join(tmpdir(), "modelrig-package-"));
  const folder = join(home, "modelrig");
  mkdirSync(folder);
  for (const name of ["package.json", "bin", "migrations"])
    cpSync(join(root, name), join(folder, name), { recursive: true });
  execFileSync(process.execPath, [join(root, "scripts/build-package.ts"), "--out", join(folder, "dist")], {
    cwd: root,
  });
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  const consumer = join(home, "consumer");
  mkdirSync(join(consumer, "node_modules"), { recursive: true });
  for (const name of ["modelrig", "modelrig-sdk"]) symlinkSync(folder, join(consumer, "node_modules", name));
  symlinkSync(join(root, "node_modules", "@types"), join(consumer, "node_modules", "@types"));
  symlinkSync(join(root, "node_modules", "undici-types"), join(consumer, "node_modules", "undici-types"));
  return { folder, consumer, remove: () => rmSync(home, { recursive: true, force: true }) };
}

/** A Node of the oldest version that the SDK runs on, where this machine has one. */
export function node20(): string | undefined {
  const candidates = ["/usr/local/bin/node", "/usr/bin/node", process.env["NODE20"] ?? ""];
  return candidates.find(
    (path) => path !== "" && existsSync(path) && /^v20\./.test(execFileSync(path, ["--version"], { encoding: "utf8" })),
  );
}
