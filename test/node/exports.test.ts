import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { moduleNames } from "../support/sources/module-exports.ts";
import { projectRoot, sourceFiles } from "../support/sources/source-files.ts";

/** Files whose exports are for others than this project's files, and who takes them. */
const ENTRIES: Record<string, string> = {
  "src/sdk/index.ts": "the package",
  "src/cli/main.ts": "bin/modelrig.js",
  "workers/index.ts": "the Workers runtime",
};

/** Files that take every export of the modules they import as a namespace, without naming one. */
const COLLECTORS = ["src/api/contract.ts"];

/** The dialects are symmetric: the same file of each exports the same names. Each command's file exports `command`. */
function mirrored(name: string, files: readonly string[]): boolean {
  if (name === "command") return files.every((file) => file.startsWith("src/cli/commands/"));
  return files.every((file) => /^src\/wire\/[^/]+\//.test(file));
}

const PRODUCT = ["src", "workers", "durable"];
const AROUND = ["test", "scripts"];
const text = (file: string) => readFileSync(join(projectRoot, file), "utf8");
const configs = readdirSync(projectRoot).filter((name) => name.endsWith(".config.ts"));
const product = PRODUCT.flatMap(sourceFiles);
const modules = new Map(
  [...product, ...AROUND.flatMap(sourceFiles), ...configs].map((file) => [file, moduleNames(file, text(file))]),
);

/** A whole module was taken: a name counts as used where the taker's text has it. */
const words = new Map<string, ReadonlySet<string>>();
function wordsOf(file: string): ReadonlySet<string> {
  const found = words.get(file) ?? new Set(text(file).match(/[\w$]+/g));
  words.set(file, found);
  return found;
}

const takers = new Map<string, Map<string, string[]>>();
for (const [file, { taken, passedOn }] of modules)
  for (const { from, name } of [...taken, ...passedOn]) {
    const names = takers.get(from) ?? new Map<string, string[]>();
    names.set(name, [...(names.get(name) ?? []), file]);
    takers.set(from, names);
  }

function isTaken(file: string, name: string): boolean {
  const names = takers.get(file);
  if (names?.has(name)) return true;
  return (names?.get("*") ?? []).some((taker) => COLLECTORS.includes(taker) || wordsOf(taker).has(name));
}

describe("exported names", () => {
  it("are imported by another file", () => {
    const unused = product
      .filter((file) => !(file in ENTRIES))
      .flatMap((file) =>
        (modules.get(file)?.defined ?? []).filter((name) => !isTaken(file, name)).map((name) => `${file}: ${name}`),
      );
    expect(unused).toEqual([]);
  });

  it("are defined once", () => {
    const owners = new Map<string, string[]>();
    for (const file of product)
      for (const name of new Set(modules.get(file)?.defined)) owners.set(name, [...(owners.get(name) ?? []), file]);
    const twice = [...owners]
      .filter(([name, files]) => files.length > 1 && !mirrored(name, files))
      .map(([name, files]) => `${name}: ${files.join(", ")}`);
    expect(twice).toEqual([]);
  });
});
