/**
 * Recorded traffic and reference data that is not part of the repository.
 * `MODELRIG_CORPUS` names its folder; suites that need it skip, with a count, where the variable is not set.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = process.env["MODELRIG_CORPUS"] ?? "";

/** True when a corpus is named, exists and holds something. */
export const corpusAvailable: boolean = root !== "" && existsSync(root) && readdirSync(root).length > 0;

/** Absolute path of a corpus file or folder; does not check that it exists. */
export function corpusPath(...parts: readonly string[]): string {
  return join(root, ...parts);
}

/** Whole text of a corpus file. Throws where it is missing: call it only when `corpusAvailable`. */
export function readText(...parts: readonly string[]): string {
  return readFileSync(corpusPath(...parts), "utf8");
}

export function readJson<T = unknown>(...parts: readonly string[]): T {
  return JSON.parse(readText(...parts)) as T;
}

/** One parsed value per non-blank line. */
export function readJsonl<T = unknown>(...parts: readonly string[]): T[] {
  return readText(...parts)
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line) as T);
}

/** File names directly in a corpus folder, sorted. */
export function corpusFiles(...parts: readonly string[]): string[] {
  return readdirSync(corpusPath(...parts)).sort();
}

/** Says, once per suite, that `count` cases are skipped for want of the corpus. Returns whether to skip. */
export function skipWithoutCorpus(suite: string, count: number | string): boolean {
  if (!corpusAvailable) console.warn(`skipped: ${suite}, ${count} cases need the corpus (set MODELRIG_CORPUS)`);
  return !corpusAvailable;
}
