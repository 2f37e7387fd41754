/** Changes to a text, and the unified diff that makes them. */
import { structuredPatch } from "diff";

export interface Edit {
  readonly start: number;
  /** Equal to `start`: an insertion. Insertions at one place keep the order they were made in. */
  readonly end: number;
  readonly text: string;
}

export const insert = (at: number, text: string): Edit => ({ start: at, end: at, text });

export function applyEdits(text: string, edits: readonly Edit[]): string {
  let result = "";
  let at = 0;
  for (const edit of edits.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    result += text.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return result + text.slice(at);
}

/** For `git apply` from the project's folder: no `diff --git` line, whose paths would be the repository's. */
export function unifiedDiff(path: string, before: string, after: string): string {
  const { hunks } = structuredPatch(path, path, before, after, "", "", { context: 3 });
  // A name with a space ends where the tab stands.
  const end = path.includes(" ") ? "\t" : "";
  const lines = [`--- a/${path}${end}`, `+++ b/${path}${end}`];
  for (const { oldStart, oldLines, newStart, newLines, lines: body } of hunks)
    lines.push(`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`, ...body);
  return `${lines.join("\n")}\n`;
}
